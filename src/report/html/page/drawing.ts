// What every chart of the page has in common: colours, axes, legend, read-out, keyboard.
import type { Chart, ChartOptions, Column, Page, PageElement, SeriesOptions } from "./browser.ts";

export const page = globalThis as unknown as Page;
const NARROW = 520;

/** A colour of the style sheet, so that light and dark are said in one place. */
export function colour(name: string): string {
  const style = page.getComputedStyle(page.document.documentElement);
  return style.getPropertyValue(`--${name}`).trim();
}

export function element(tag: string, className: string, text = ""): PageElement {
  const made = page.document.createElement(tag);
  made.className = className;
  made.textContent = text;
  return made;
}

/** `1,234`, `0.25`. */
export function figure(value: number): string {
  const digits =
    Math.abs(value) >= 100 || Number.isInteger(value) ? 0 : Math.abs(value) >= 10 ? 1 : 2;
  const [whole = "", rest] = value.toFixed(digits).split(".");
  const grouped = whole.replace(/\B(?=(\d{3})+(?!\d))/g, ",");
  return rest === undefined ? grouped : `${grouped}.${rest}`;
}

/** Seconds of the run: `45 s`, `12:30`, `1:05:00`. */
export function moment(seconds: number): string {
  if (seconds < 120) return `${figure(seconds)} s`;
  const two = (n: number) => String(Math.floor(n)).padStart(2, "0");
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes}:${two(seconds % 60)}`;
  return `${Math.floor(minutes / 60)}:${two(minutes % 60)}:${two(seconds % 60)}`;
}

/** One line of a chart: how it looks in the legend and what it says under the cursor. */
export interface Line {
  readonly label: string;
  readonly colour: string;
  readonly shape: "area" | "line" | "dash" | "ring";
  /** Text at a point, null = says nothing there. */
  readonly at?: (index: number) => string | null;
}

export interface Drawing {
  readonly id: string;
  readonly height: number;
  readonly padding?: number[];
  readonly data: Column[];
  readonly series: SeriesOptions[];
  readonly scales: ChartOptions["scales"];
  readonly axes: readonly [object, object];
  readonly bands?: object[];
  readonly lines: readonly Line[];
  /** False where the axis names the lines. */
  readonly legend?: false;
  readonly title: (index: number) => string;
  readonly below?: (chart: Chart) => void;
  readonly above?: (chart: Chart) => void;
  /** Charts of one name move their cursors and zoom together. */
  readonly sync?: string;
}

export const axis = (more: object): object => ({
  stroke: colour("muted"),
  font: "11px system-ui, sans-serif",
  grid: { stroke: colour("grid"), width: 1 },
  ticks: { show: false },
  ...more,
});

const drawn = new Map<string, Chart>();

/** Draws, or draws anew, the chart of this id. */
export function draw(drawing: Drawing): void {
  const target = page.document.getElementById(`chart-${drawing.id}`);
  if (target === null) return;
  drawn.get(drawing.id)?.destroy();
  const legend = element("ul", "legend");
  legend.append(...drawing.lines.map(legendItem));
  target.replaceChildren(...(drawing.legend === false ? [] : [legend]));
  const readout = page.document.getElementById(`chart-${drawing.id}-readout`);
  const hooks: ChartOptions["hooks"] = {
    drawClear: drawing.below === undefined ? [] : [drawing.below],
    draw: drawing.above === undefined ? [] : [drawing.above],
    setCursor: [(chart) => readOut(chart, drawing, readout)],
  };
  const chart = new page.uPlot(
    {
      width: target.clientWidth,
      height: drawing.height,
      padding: drawing.padding ?? [8, 22, 0, 0],
      legend: { show: false },
      cursor: {
        points: { show: false },
        y: false,
        ...(drawing.sync === undefined
          ? { drag: { x: false, y: false } }
          : { sync: { key: drawing.sync }, drag: { x: true, y: false } }),
      },
      scales: drawing.scales,
      axes: [...drawing.axes],
      series: [{}, ...drawing.series],
      bands: drawing.bands ?? [],
      hooks,
    },
    drawing.data,
    target,
  );
  drawn.set(drawing.id, chart);
  follow(drawing, target);
}

function legendItem(line: Line): PageElement {
  const item = element("li", "");
  const swatch = element("span", `swatch ${line.shape}`);
  const text = element("span", "", line.label);
  item.append(swatch, text);
  swatch.style.color = line.colour;
  return item;
}

function readOut(chart: Chart, drawing: Drawing, readout: PageElement | null): void {
  if (readout === null) return;
  const { idx } = chart.cursor;
  if (idx === null || idx === undefined || chart.cursor.left < 0) {
    readout.textContent = "";
    return;
  }
  const parts = drawing.lines.flatMap(({ label, at }) => {
    const text = at?.(idx) ?? null;
    return text === null ? [] : [`${label} ${text}`];
  });
  const said = parts.length === 0 ? "nothing" : parts.join(" · ");
  readout.textContent = `${drawing.title(idx)}: ${said}`;
}

const followed = new Map<string, Drawing>();

/** Keys and size; listeners are set once, and look up the chart that is there now. */
function follow(drawing: Drawing, target: PageElement): void {
  const known = followed.has(drawing.id);
  followed.set(drawing.id, drawing);
  if (known) return;
  target.addEventListener("keydown", (event) => {
    const chart = drawn.get(drawing.id)!;
    const last = chart.data[0]!.length - 1;
    const step = event.shiftKey ? 10 : 1;
    const from = chart.cursor.left < 0 ? -1 : (chart.cursor.idx ?? -1);
    const to: { readonly [key: string]: number } = {
      ArrowRight: from + step,
      ArrowLeft: from - step,
      Home: 0,
      End: last,
    };
    const index = to[event.key];
    if (index === undefined) return;
    event.preventDefault();
    const x = chart.data[0]![Math.min(last, Math.max(0, index))]!;
    chart.setCursor({ left: chart.valToPos(x, "x") + 0.5, top: 10 });
  });
  const sized = () => {
    const { height } = followed.get(drawing.id)!;
    const chart = drawn.get(drawing.id)!;
    if (target.clientWidth > 0 && target.clientWidth !== chart.width)
      chart.setSize({ width: target.clientWidth, height });
  };
  new page.ResizeObserver(() => page.requestAnimationFrame(sized)).observe(target);
}

export const isNarrow = (id: string): boolean =>
  (page.document.getElementById(`chart-${id}`)?.clientWidth ?? NARROW) < NARROW;

/** Paper is white and of one width. */
export function setPrintWidth(width: number): void {
  for (const [id, chart] of drawn) chart.setSize({ width, height: followed.get(id)!.height });
}

/** Smallest and largest of several columns; null when there is nothing to show. */
export function extent(columns: readonly Column[]): readonly [number, number] | null {
  let least = Number.POSITIVE_INFINITY;
  let most = Number.NEGATIVE_INFINITY;
  for (const column of columns)
    for (const value of column) {
      if (value === null || value < 0) continue;
      if (value < least) least = value;
      if (value > most) most = value;
    }
  return least > most ? null : [least, most];
}

/** A logarithmic scale around what there is. */
export function logRange(columns: readonly Column[]): [number, number] {
  const [least, most] = extent(columns) ?? [1, 1_000];
  return [Math.max(0.01, least * 0.7), Math.max(0.02, most * 1.4, least * 2)];
}

/** 1, 2, 5, 10, 20, 50 … within a logarithmic scale; ones alone where there are many tens. */
export function logSplits(_: Chart, __: number, least: number, most: number): number[] {
  const span = most / least;
  const fine = span > 12 ? [1, 2, 5] : [1, 1.5, 2, 3, 4, 5, 7];
  const steps = span > 3_000 ? [1] : span > 300 ? [1, 3] : fine;
  const splits: number[] = [];
  for (let ten = Math.floor(Math.log10(least)); ten <= Math.log10(most); ten++)
    for (const step of steps) {
      const value = Number(`${step}e${ten}`);
      if (value >= least && value <= most) splits.push(value);
    }
  return splits;
}

/** An axis of response times. */
export const logAxis = (id: string): object =>
  axis({
    ...{ size: isNarrow(id) ? 42 : 56, gap: 4, splits: logSplits },
    filter: (_: Chart, splits: readonly number[]) => splits,
    values: (_: Chart, splits: readonly number[]) => splits.map(figure),
  });

/** Without −1, which means “never answered” and has no place on the scale. */
export const answered = (column: Column): Column =>
  column.map((value) => (value === null || value < 0 ? null : Math.max(value, 0.01)));

export function milliseconds(value: number | null | undefined): string | null {
  if (value === null || value === undefined) return null;
  return value < 0 ? "never answered" : `${figure(value)} ms`;
}
