// What the page keeps, and with it all that the server sends.

import type {
  Answer,
  AskKind,
  Chart,
  Details,
  Explanation,
  Found,
  Game,
  GameSoFar,
  LanguageName,
  Lesson,
  LessonHead,
  Line,
  Path,
  Preset,
  Result,
  Run,
  Score,
  Server,
  ServerStep,
  Session,
  Setting,
  Share,
  StepChange,
  TreeMap,
  TreeNode,
} from "./served.js";

export type * from "./served.js";

export type Theme = "light" | "dark";

export type Phase = "selection" | "expansion" | "playout" | "backup";

/** One thing of a step that is shown at a time. */
export type Beat =
  | { phase: "selection"; depth: number }
  | { phase: "expansion" }
  | { phase: "playout"; which: number; moves: number }
  | { phase: "backup"; place: number };

/** A node or an edge that the backup changes, with its changes. */
export interface Place {
  key: string;
  what: "node" | "edge" | "tree";
  line: string[];
  path: Path;
  changes: StepChange[];
}

export interface Step extends ServerStep {
  beats: Beat[];
  places: Place[];
}

/** What a step changes in the drawing of the tree; places are named by their paths, as `key` writes them. */
export interface Overlay {
  numbers: Map<string, Record<string, Score>>;
  marks: Map<string, "path" | "now" | "changed">;
  fresh: string | null;
  grown: boolean;
  sprouts: { at: string; texts: string[] } | null;
}

/** A node of the tree that is drawn. */
export interface Shown {
  node: TreeNode;
  path: Path;
  at: string;
  total: number;
  open: boolean;
  principal: boolean;
  mark: string | null;
  fresh: boolean;
  children: Shown[];
  more: number;
  sprouts: string[] | null;
  /** This stands for that many nodes of a deep path. */
  fold?: number;
}

/** A node, a new action that is not visited yet (sprout), or the children that are not shown (more), with its place. */
export interface Item {
  kind: "node" | "sprout" | "more";
  at: string;
  path: Path;
  label: string;
  parent: Item | null;
  children: Item[];
  shown: Shown | null;
  visits: number;
  value: number | null;
  /** What its exact value says to the player whom it is shown for. */
  proof: "win" | "loss" | "draw" | "exact" | null;
  shared: boolean;
  node: number | null;
  closed: boolean;
  more: number;
  shownCount: number;
  fold?: number;
  numbers: string;
  width: number;
  depth: number;
  row: number;
  x: number;
  y: number;
}

export interface Drawn {
  items: Item[];
  width: number;
  height: number;
}

export interface Budget {
  kind: string;
  simulations: number;
  seconds: number;
  /** Whether what was typed can't be run. */
  wrong?: boolean;
}

export interface Notice {
  text: string;
  kind: string;
  id: number;
}

export interface State {
  server: Server | null;
  games: Game[];
  presets: Preset[];
  settings: Setting[];
  /** The Python source of users' own parts, by kind. */
  sources: Record<string, string>;
  /** While a first search waits for the compiler: about how many seconds that takes, and how many have passed. */
  compiling: { n: number; passed: number } | null;
  restoring: number | null;
  /** Why there is no session to show. */
  trouble: { code: string | undefined; message: string } | null;
  session: Session | null;
  /** The run that is on. */
  run: Run | null;
  result: Result | null;
  /** The watched top of the tree. */
  tree: TreeNode | null;
  map: TreeMap | null;
  /** The principal line. */
  line: Line | null;
  chart: Chart;
  /** The game so far. */
  game: GameSoFar | null;
  explanation: Explanation | null;
  connected: boolean;
  /** The links of the session, where this page shares it. */
  share: Share | null;
  lessons: LessonHead[];
  /** The lesson that is shown beside the workbench. */
  lesson: Lesson | null;
  /** Whether type is large, on the full screen. */
  large: boolean;
  /** Live updates so far. */
  updates: number;
  /** Path -> how many children to show there. */
  open: Map<string, number>;
  closed: Set<string>;
  /** Path -> node with its children, beyond what is watched. */
  views: Map<string, TreeNode>;
  /** Path -> node that is shown although it is not among the most visited. */
  pins: Map<string, TreeNode>;
  /** The path of the node whose details are shown. */
  chosen: Path | null;
  details: Details | null;
  found: (Found & { text: string }) | null;
  step: Step | null;
  beat: number;
  slow: boolean;
  pace: number;
  tab: string;
  dialog: "setup" | "compare" | "keep" | "help" | "share" | "learn" | null;
  budget: Budget;
  answers: (Answer & { kind: AskKind; question: string | null })[];
  asking: boolean;
  notices: Notice[];
  /** What the user is asked. */
  question: { text: string; answer: (yes: boolean) => void } | null;
  /** The failure that was closed, as JSON. */
  readFailure: string | null;
  /** A position of an expected line that is looked at on the board. */
  shown: { src: string; label: string } | null;
  /** For screen readers. */
  said: string;
  /** Whether single keys do something. */
  keys: boolean;
  language: LanguageName;
  theme: Theme | "auto";
  systemDark: boolean;
}
