// The few things of a browser and of uPlot that the page's script uses; types alone, so that the
// rest of the project does not see a browser's names.

export interface Canvas {
  fillStyle: string;
  strokeStyle: string;
  lineWidth: number;
  font: string;
  textAlign: string;
  textBaseline: string;
  globalAlpha: number;
  save(): void;
  restore(): void;
  beginPath(): void;
  rect(x: number, y: number, width: number, height: number): void;
  clip(): void;
  moveTo(x: number, y: number): void;
  lineTo(x: number, y: number): void;
  arc(x: number, y: number, radius: number, from: number, to: number): void;
  closePath(): void;
  fill(): void;
  stroke(): void;
  fillRect(x: number, y: number, width: number, height: number): void;
  fillText(text: string, x: number, y: number): void;
  measureText(text: string): { readonly width: number };
  setLineDash(dash: readonly number[]): void;
}

export interface PageElement {
  textContent: string;
  className: string;
  value: string;
  readonly clientWidth: number;
  readonly style: { color: string };
  readonly dataset: { [name: string]: string };
  append(...children: PageElement[]): void;
  replaceChildren(...children: PageElement[]): void;
  before(...siblings: PageElement[]): void;
  addEventListener(name: string, listener: (event: KeyPress) => void): void;
}

export interface KeyPress {
  readonly key: string;
  readonly shiftKey: boolean;
  preventDefault(): void;
}

export interface Page {
  readonly devicePixelRatio: number;
  readonly document: {
    readonly documentElement: PageElement;
    getElementById(id: string): PageElement | null;
    createElement(tag: string): PageElement;
  };
  readonly uPlot: UPlotClass;
  readonly ResizeObserver: new (done: () => void) => { observe(element: PageElement): void };
  getComputedStyle(element: PageElement): { getPropertyValue(name: string): string };
  matchMedia(query: string): { addEventListener(name: string, listener: () => void): void };
  addEventListener(name: string, listener: () => void): void;
  requestAnimationFrame(done: () => void): void;
}

export type Column = readonly (number | null)[];
type Range = (chart: Chart, min: number | null, max: number | null) => [number, number];

export interface SeriesOptions {
  label?: string;
  stroke?: string;
  fill?: string;
  width?: number;
  dash?: number[];
  spanGaps?: boolean;
  paths?: unknown;
  points?: { show: boolean };
}

export interface ChartOptions {
  width: number;
  height: number;
  padding?: (number | null)[];
  legend: { show: boolean };
  cursor: object;
  scales: { [name: string]: { time?: boolean; distr?: number; range?: Range } };
  axes: object[];
  series: SeriesOptions[];
  bands?: object[];
  hooks: { [name: string]: ((chart: Chart) => void)[] };
}

export interface Chart {
  readonly ctx: Canvas;
  /** The plotting area, in pixels of the canvas. */
  readonly bbox: {
    readonly left: number;
    readonly top: number;
    readonly width: number;
    readonly height: number;
  };
  readonly cursor: { readonly idx: number | null; readonly left: number };
  readonly data: Column[];
  readonly width: number;
  valToPos(value: number, scale: string, onCanvas?: boolean): number;
  setCursor(at: { left: number; top: number }): void;
  setSize(size: { width: number; height: number }): void;
  destroy(): void;
}

export interface UPlotClass {
  new (options: ChartOptions, data: Column[], target: PageElement): Chart;
  readonly paths: { stepped(options: { align: 1 | -1 }): unknown };
}
