// The reason for the choice in words. English is the server's own text; Chinese is written here from the same facts.

import { full, interval, percent, value, who } from "./format.js";
import { state } from "./store.js";

export function reasons(explanation) {
  if (state.language !== "zh") return explanation.text.split(/\n\s*\n/);
  return inChinese(explanation.facts);
}

const RULES = {
  visits: "访问次数最多",
  value: "平均价值最高",
  bound: "置信下界最高",
  proof: "优先取已证明的结果，其次看访问次数",
};
const STOPS = {
  seconds: "时间到了，搜索停止。",
  nodes: "达到节点上限，搜索停止。",
  bytes: "达到内存上限，搜索停止。",
  stop: "搜索被手动停止。",
  proven: "已无可探查之处，搜索停止。",
  decided: "余下的模拟已无法改变选择，提前停止。",
};

const SURE = {
  proven: "已证明没有更好的选择，这不是估计。",
  equal: "两者都已证明且价值相同。",
  clear: "两个区间不重叠，领先是明确的。",
  lead: "领先，但区间重叠：更多模拟仍可能改变结果。",
  "toss-up": "两者难分高下：各自的价值都落在对方的区间内。",
  behind: "其价值是两者中较低的；决定因素见下文。",
  unknown: "以目前的访问次数还无法判断差别有多可靠。",
};

function inChinese(f) {
  const { best, next, search } = f,
    said = [];
  const worth = (a) =>
    a.proven !== null
      ? `已证明的精确价值为 ${value(a.proven)}`
      : a.interval
        ? `平均价值为 ${value(a.value)}（${Math.round(100 * f.confidence)}% 区间：${interval(a.interval)}）`
        : `平均价值为 ${value(a.value)}；访问太少，只是粗略估计`;
  const line = (a) => (a.line.length > 1 ? `预期着法：${a.line.join(" ")}。` : "");
  said.push(
    `在 ${f.legal} 个合法行动中，搜索选择 ${best.action}：访问 ${full(best.visits)} 次，占 ${percent(best.share)}。对${who(f.player)}（轮到行动）而言，${worth(best)}。${line(best)}`,
  );
  if (f.proven !== null)
    said.push(`该局面已被解出：双方最佳应对时，对${who(f.player)}的价值为 ${value(f.proven)}，更多模拟也不会改变。`);
  if (next) {
    const sure = SURE[f.comparison] ?? "";
    said.push(
      `其次是 ${next.action}：访问 ${full(next.visits)} 次，占 ${percent(next.share)}，${worth(next)}。${line(next)}${sure}`,
    );
  }
  said.push(
    `选择规则是“${f.rule}”：${RULES[f.rule] ?? f.rule}。${f.solver ? "已证明的胜着必取，已证明的败着必避。" : ""}${f.higher_value ? `若只看平均价值则会选 ${f.higher_value.action}（${value(f.higher_value.value)}）。` : ""}`,
  );
  if (f.leader_since > 0)
    said.push(
      `自第 ${full(f.leader_since)} 次模拟起，${best.action} 一直是首选${f.simulations_here ? `（共 ${full(f.simulations_here)} 次）` : ""}。`,
    );
  if (search.simulations)
    said.push(
      `本次搜索进行了 ${full(search.simulations)} 次模拟，树中平均深度 ${search.mean_depth.toFixed(1)}，最深 ${search.max_depth}；树中共有 ${full(search.positions)} 个局面。${STOPS[search.stopped_by] ?? ""}`,
    );
  return said;
}
