// Types of what the page uses of preact and htm.

export interface VNode {
  type: unknown;
  props: Record<string, unknown>;
}

export type Child = VNode | string | number | boolean | null | undefined | Child[];

/** An event with the fields of all kinds that handlers in templates look at. */
export interface PageEvent extends Event {
  readonly target: HTMLInputElement;
  readonly currentTarget: HTMLElement;
  readonly relatedTarget: Element | null;
  readonly key: string;
  readonly button: number;
  readonly buttons: number;
  readonly pointerId: number;
  readonly clientX: number;
  readonly clientY: number;
  readonly deltaY: number;
  readonly ctrlKey: boolean;
  readonly metaKey: boolean;
  readonly altKey: boolean;
  readonly shiftKey: boolean;
}

type Handler = (event: PageEvent) => unknown;
type Value = Handler | object | string | number | boolean | null | undefined | void;

export function html(parts: TemplateStringsArray, ...values: Value[]): VNode;
export function render(node: VNode, parent: Element): void;

export function useState<T>(initial: T | (() => T)): [T, (next: T | ((old: T) => T)) => void];
export function useReducer<T>(reduce: (old: T) => T, initial: T): [T, () => void];
export function useEffect(effect: () => void | (() => unknown), inputs?: unknown[]): void;
export function useLayoutEffect(effect: () => void | (() => unknown), inputs?: unknown[]): void;
export function useRef<T>(initial: T): { current: T };
