// The words of sharing, lessons and what else a class needs, in both languages.

export const en = {
  share_session: "Share",
  share_words:
    "Two links: one to follow, with which others see what you see and can change nothing, and one to take over. While the session is shared, only the page that leads can change it. Sharing makes that this page.",
  begin_sharing: "Share this session",
  end_sharing: "End sharing: both links stop working",
  follow_me: "Follow me",
  follow_note: "Read-only: shows your position, step, node and panel as you go. It needs no token.",
  take_over: "Take over",
  take_over_note: "Whoever opens it leads from then on. You can take over again.",
  following: "You follow this session: you see what the leading page shows, and can't change it.",
  leading: "You share this session: others may be watching this page.",
  led: "Another page leads this session, so this one can only look.",
  lesson: "Lesson",
  lessons: "Lessons",
  close_lesson: "Close the lesson",
  lessons_note: "A lesson is shown beside the workbench. Its links open prepared searches.",
  position_of: "Position after {move}",
  arrows: "Most visited: {moves}",
  large: "Full screen, large type",
  large_title: "Full screen with large type, for a projector (F)",
  key_large: "full screen, large type",
};

export const zh = {
  share_session: "共享",
  share_words:
    "两个链接：一个用于跟随，别人看到你所看到的，但不能改动；一个用于接管。共享期间只有主导页面可以改动会话；开始共享后，主导的就是这个页面。",
  begin_sharing: "共享本会话",
  end_sharing: "结束共享：两个链接都失效",
  follow_me: "跟随我",
  follow_note: "只读：随时显示你的局面、单步、节点和面板。不需要令牌。",
  take_over: "接管",
  take_over_note: "打开它的人从此主导。你可以再次接管。",
  following: "你在跟随本会话：看到主导页面所显示的内容，不能改动。",
  leading: "你在共享本会话：别人可能正在看这个页面。",
  led: "另一个页面主导本会话，此页面只能观看。",
  lesson: "课程",
  lessons: "课程",
  close_lesson: "关闭课程",
  lessons_note: "课程显示在工作台旁边，其中的链接会打开准备好的搜索。",
  position_of: "{move} 之后的局面",
  arrows: "访问最多：{moves}",
  large: "全屏大字",
  large_title: "全屏大字显示，适合投影（F）",
  key_large: "全屏大字",
};
