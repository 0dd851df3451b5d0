// What a person sees while a run goes on: one line that is rewritten on a terminal, plain lines
// elsewhere.
import { formatMs, formatNumber, formatPercent } from "../core/format.ts";
import { US_PER_S } from "../core/time.ts";
import type { LiveView } from "../run/watch.ts";
import type { CommandContext } from "./context.ts";
import { CLEAR_LINE, fitted } from "./terminal.ts";

export interface Progress {
  /** A step that is not load: starting, reading logs, undoing. */
  step(text: string): void;
  second(view: LiveView & { readonly phase: string }): void;
  /** Leaves the rewritten line behind. */
  end(): void;
}

/** Without a terminal, one line for so many seconds is enough for a log. */
const PLAIN_EVERY_S = 10;

export function createProgress(context: CommandContext, quiet: boolean, totalUs: number): Progress {
  const terminal = process.stderr.isTTY === true;
  const write = (text: string): void => {
    if (quiet) return;
    context.err(terminal ? CLEAR_LINE + fitted(text, process.stderr.columns) : `${text}\n`);
  };
  return {
    step: (text) => write(text),
    second: (view) => {
      const atS = Math.round(view.atUs / US_PER_S);
      if (terminal || atS % PLAIN_EVERY_S === 0) write(line(view, atS, totalUs));
    },
    end: () => {
      if (terminal && !quiet) context.err(CLEAR_LINE);
    },
  };
}

function line(view: LiveView & { readonly phase: string }, atS: number, totalUs: number): string {
  const sum = (of: (load: LiveView["loads"][number]) => number): number =>
    view.loads.reduce((total, load) => total + of(load), 0);
  const sent = sum((load) => load.sent);
  const bad = sum((load) => load.throttled + load.errored + load.unknown);
  const parts = [
    `${String(atS).padStart(4)} of ${Math.round(totalUs / US_PER_S)} s`,
    view.phase === "" ? "draining" : view.phase,
    `${formatNumber(view.perSecond)}/s`,
    `${formatNumber(sent)} sent`,
    `${formatNumber(sum((load) => load.in_flight))} in flight`,
    `not ok ${sent === 0 ? "–" : formatPercent(bad / sent)}`,
    view.p99Us === null ? "" : `p50 ${formatMs(view.p50Us ?? 0)} p99 ${formatMs(view.p99Us)} ms`,
    sum((load) => load.dropped) === 0 ? "" : `${formatNumber(sum((load) => load.dropped))} DROPPED`,
  ];
  return parts.filter((part) => part !== "").join("  ");
}
