// What the server sends (docs/http.md).

export type LanguageName = "en" | "zh";
/** A number that JSON can not write is a word. */
export type Score = number | "infinity" | "-infinity" | null;
export type Range = [number, number];
/** Numbers of the actions from the root. */
export type Path = number[];

/** Why the server refused: RFC 9457 problem details. */
export interface Problem {
  type: string;
  title: string;
  status: number;
  detail: string;
  code: string;
}

export interface Server {
  name: string;
  version: string;
  ask: { model: string } | null;
  /** The game that a visit begins with. */
  game: string;
  compiling: number | null;
  compiling_for: number | null;
  uncompiled: boolean;
  restoring: number | null;
}

export interface GameSetting {
  name: string;
  type: string;
  default: number | number[] | string;
}

export interface Game {
  game: string;
  player_names: string[];
  /** Those that can be used with it. */
  presets: string[];
  description: string;
  about: string;
  preset: string;
  built_in: boolean;
  settings: GameSetting[];
  position: string;
}

/** What the server says in English, and its fields in other languages. */
export interface Translated {
  translations: Partial<Record<LanguageName, Record<string, string | null>>>;
}

export interface Preset extends Translated {
  preset: string;
  description: string;
  options: Record<string, string>;
}

export interface Setting extends Translated {
  name: string;
  meaning: string;
  unit: string | null;
  least: number | null;
  most: number | null;
  words: string[];
  number: string | null;
  default: string;
  defaults: Record<string, string>;
  part: string;
  kinds: string[];
}

/** Settings that were chosen: a preset, the options that differ from it, a seed. */
export interface Choice {
  preset: string;
  options: Record<string, string | undefined>;
  seed: number | string | null;
}

export interface Action {
  number: number;
  action: string;
  probability?: number | null;
}

export interface Position {
  text: string;
  player: number;
  over: boolean;
  chance: boolean;
  show: string;
  svg: string;
  actions: Action[];
}

export interface Run {
  id: number;
  kind?: string;
  share: number | null;
  simulations: number;
  simulations_per_second: number;
  seconds?: number;
  stopped_by?: string | null;
  message?: string | null;
}

export interface Kept {
  visits: number;
  of: number;
  how: string;
}

export interface Failure {
  what: string;
  message: string;
  position: string;
  moment: number;
}

export interface SessionHead {
  id: string;
  permalink: string;
  name: string;
  game: string;
  touched: number;
  temporary: boolean;
}

export interface ListedSession extends SessionHead {
  position: string;
  simulations: number;
  running: boolean;
}

export interface Session extends SessionHead {
  /** Rises whenever another page takes the lead; null: it is not shared. */
  leads: number | null;
  game_settings: Record<string, number | number[] | string>;
  players: number;
  /** What people call the players; empty: they have no names. */
  player_names: string[];
  /** Two players, and what one gets the other loses. */
  zero_sum: boolean;
  /** What each player has got since the start; null before a move. */
  returns: number[] | null;
  range: Range | null;
  preset: string;
  options: Record<string, string>;
  changed: string[];
  seed: number;
  position: Position;
  moment: number;
  simulations: number;
  visits: number;
  nodes: number;
  proven: number | null;
  run: Run | null;
  last_run: Run | null;
  failure: Failure | null;
  kept: Kept | null;
  version: number;
}

/** What the drawing of a value with its interval needs. */
export interface Valued {
  value: number | null;
  proven: number | null;
  interval: Range | null;
}

export type WinDrawLoss = [number, number, number];

export interface ActionStats extends Valued {
  action: string;
  number: number;
  visits: number;
  share: number;
  prior: number;
  wdl: WinDrawLoss | null;
  line: string[];
  line_numbers: number[];
}

/** The best complete line of one player without chance. */
export interface BestFound {
  value: number;
  line: string[];
  line_numbers: Path;
  line_length: number;
  simulation: number | null;
  position: string;
  svg: string;
}

export interface Result {
  value_for: number;
  total: number | null;
  simulations_per_second: number;
  visits: number;
  nodes: number;
  value: number | null;
  proven: number | null;
  best: string | null;
  best_number: number | null;
  actions: ActionStats[];
  mean_depth: number;
  max_depth: number;
  best_found?: BestFound | null;
}

export interface ChartAction {
  number: number;
  share: number;
  value: number | null;
}

export interface ChartPoint {
  simulations: number;
  best_found?: number | null;
  actions: ChartAction[];
}

export interface Chart {
  points: ChartPoint[];
  names: Record<string, string>;
}

export interface TreeNode {
  action: string | null;
  number: number | null;
  visits: number;
  value: number | null;
  value_for: number;
  interval?: Range | null;
  prior?: number | null;
  wdl?: WinDrawLoss | null;
  proven: number | null;
  player: number | null;
  expanded: boolean;
  node: number | null;
  shared: boolean;
  best_number: number | null;
  children: TreeNode[];
  more: number;
}

/** A node with more about it; `more` are all of its children. */
export interface Details extends TreeNode {
  path: Path;
  line: string[];
  position: Position;
  visited: number;
  expected: string[];
  expected_numbers: number[];
  error: number | null;
}

/** [parent, number, share, value, value_for] */
export type MapCell = [number, number, number, number | null, number];

export interface TreeMap {
  visits: number;
  cells: MapCell[];
  names: (string | null)[];
}

export interface Line {
  path: Path;
  nodes: TreeNode[];
}

export interface Found {
  found: { path: Path; line: string[]; visits: number; value: number | null; value_for: number }[];
  complete: boolean;
}

export interface FactsOfAction extends Valued {
  action: string;
  number: number;
  visits: number;
  share: number;
  line: string[];
  line_length: number;
}

export interface Explanation {
  text: string;
  facts: { player: number; best: FactsOfAction | null; next: FactsOfAction | null };
}

export interface Moment {
  moment: number;
  parent: number | null;
  ply: number;
  action: string | null;
  text: string;
  parked: number;
  current: boolean;
}

export interface GameSoFar {
  moment: number;
  moments: Moment[];
}

export interface Answer {
  answer: string;
  source: "model" | "built-in";
  model: string | null;
  note: string | null;
}

export type AskKind = "choice" | "step" | "question";

export interface StepEdge {
  number: number;
  action: string;
  visits: number;
  value: number | null;
  proven: boolean;
  value_term: Score;
  exploration_term: Score;
  score: Score;
  chosen: boolean;
  prior: number;
  terms: Record<string, Score>;
}

export interface StepChoice {
  position: string;
  svg: string | null;
  player: number;
  visits: number;
  edges: StepEdge[];
  number: number;
  action: string;
}

export interface StepExpansion {
  position: string;
  svg: string | null;
  depth: number;
  player: number;
  actions: string[];
  priors: number[];
}

export interface StepPlayout {
  actions: string[];
  returns: number[];
  final_position: string;
  final_svg: string | null;
  positions: string[];
  svgs: string[];
  shown: number;
}

export interface StepChange {
  what: "node" | "edge" | "tree";
  line: string[];
  path: Path;
  field: string;
  before: Score;
  after: Score;
}

export interface ServerStep {
  simulation: number;
  selection: StepChoice[];
  expansion: StepExpansion | null;
  leaf: string;
  leaf_added: boolean;
  leaf_svg: string | null;
  ending: string;
  playouts: StepPlayout[];
  played: number;
  static_values: number[] | null;
  returns: number[];
  backup: StepChange[];
  path: Path;
  /** How many simulations have been run, this one included. */
  simulations: number;
  version: number;
  before: SeenBefore | null;
}

/** The views of the search before a step. */
export interface SeenBefore {
  result?: Result;
  map?: TreeMap;
  explanation?: Explanation;
}

export type LiveMessage =
  | { type: "state"; session: Session }
  | { type: "shown"; leader_view: LeaderView | null }
  | { type: "deleted" }
  | { type: "error"; problem: Problem }
  | LiveUpdate;

/** What the leading page shows. */
export interface LeaderView {
  tab: string;
  path: Path | null;
  simulation: number | null;
  beat: number;
}

/** The links of a session that is shared. */
export interface Share {
  follow: string | null;
  take_over: string | null;
  leads: number;
}

export interface LessonHead {
  name: string;
  title: string;
}

export interface Lesson extends LessonHead {
  language: LanguageName;
  blocks: Block[];
}

export interface Span {
  kind: "text" | "code" | "strong" | "stress" | "link";
  text: string;
  link?: string;
}

export interface Slider {
  kind: "slider";
  text: string;
  link: string;
  /** The option that it varies. */
  vary: string;
  least: number;
  most: number;
}

export type Block =
  | { kind: "heading"; level: number; spans: Span[] }
  | { kind: "text"; spans: Span[] }
  | { kind: "list"; items: Span[][] }
  | { kind: "steps"; items: Span[][] }
  | { kind: "code"; text: string }
  | Slider;

/** What a prepared link opens. */
export interface Opened {
  session: Session;
  simulations: number;
  step: number | null;
  phase: "selection" | "expansion" | "playout" | "backup" | null;
  tab: string | null;
  lesson: string | null;
}

export interface LiveUpdate {
  type: "update";
  version: number;
  run: Run | null;
  result?: Result;
  tree?: TreeNode;
  map?: TreeMap;
  line?: Line;
  point?: ChartPoint;
  explanation?: Explanation;
}
