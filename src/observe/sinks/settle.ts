// Waits until each sink is quiet, and writes down what it held then. Reads only, judges nothing.
import { appendFile, mkdir } from "node:fs/promises";
import { join } from "node:path";
import { GatecrashError, messageOf } from "../../core/error.ts";
import type { RunEvent } from "../../core/facts.ts";
import type { Hide } from "../../core/hiding.ts";
import type { SettleEvent, SettleState } from "../../core/ledger-facts.ts";
import type { SinkSpec } from "../../core/scenario.ts";
import { type RunUs, runUs } from "../../core/time.ts";
import { Effects } from "./effects.ts";
import { readSink } from "./read-sink.ts";
import type { SinkPorts } from "./sink-row.ts";

export interface SettleOptions extends SinkPorts {
  readonly runDir: string;
  readonly sinks: readonly SinkSpec[];
  /** A person's stop: no more waiting; what was read so far stays. */
  readonly signal: AbortSignal;
  /** Keeps secret values out of what a sink said when it could not be read. */
  readonly hide?: Hide;
  /** For display; the same events are written to `events/settle.jsonl`. */
  readonly onEvent?: (event: SettleEvent) => void;
}

export interface Settled {
  readonly sink: string;
  readonly state: SettleState;
  readonly rows: number;
  readonly looks: number;
  readonly detail: string;
}

const PAUSE_MIN_US = 50_000;
const US_PER_MS = 1_000;

/**
 * Call when every answer of the load is in (or given up), while the system still runs. All sinks
 * are looked at side by side, each until nothing has changed for its `quiet` or `at-most` is over.
 * What cannot be read is a state of the sink (`unread`), no exception: rejects only when facts
 * cannot be written.
 */
export async function settleSinks(options: SettleOptions): Promise<readonly Settled[]> {
  const folder = join(options.runDir, "events");
  await mkdir(folder, { recursive: true });
  const file = join(folder, "settle.jsonl");
  const emit = async (event: SettleEvent): Promise<void> => {
    const line: RunEvent = { t: options.clock.nowUs(), ...event };
    await appendFile(file, `${JSON.stringify(line)}\n`);
    options.onEvent?.(event);
  };
  return Promise.all(options.sinks.map((sink) => settleSink(sink, options, emit)));
}

/** What is known after a look. */
interface Standing {
  readonly print: string;
  readonly rows: number;
  /** End of the first look that saw this state. */
  readonly sinceUs: RunUs;
  /** "" = the last look could be read. */
  readonly failure: string;
}

async function settleSink(
  sink: SinkSpec,
  options: SettleOptions,
  emit: (event: SettleEvent) => Promise<void>,
): Promise<Settled> {
  const { clock, signal } = options;
  const effects = new Effects(options.runDir, sink);
  const deadlineUs = clock.nowUs() + sink.atMostUs;
  let standing: Standing = { print: "", rows: 0, sinceUs: clock.nowUs(), failure: "not read yet" };
  let look = 0;
  const tell = async (state: SettleState | "looking"): Promise<void> => {
    const { rows, sinceUs, failure: detail } = standing;
    const common = { kind: "settle", sink: sink.name, look, rows } as const;
    await emit({ ...common, quiet_since_us: sinceUs, state, ...(detail === "" ? {} : { detail }) });
  };
  for (;;) {
    const fromUs = clock.nowUs();
    const leftUs = Math.max(0, deadlineUs - fromUs) + sink.quietUs;
    look++;
    standing = await lookOnce(sink, { options, effects, look, leftUs }, standing);
    let state = stateOf(sink, standing, { fromUs, nowUs: clock.nowUs(), deadlineUs, signal });
    await tell(state);
    if (state === "looking") {
      const pauseUs = Math.max(PAUSE_MIN_US, sink.quietUs / 2);
      const nextUs = runUs(Math.min(deadlineUs, clock.nowUs() + pauseUs));
      await clock.sleepUntil(nextUs, signal).catch(() => {});
      if (!signal.aborted) continue;
      state = whenStopped(standing);
      await tell(state);
    }
    const { rows, failure: detail } = standing;
    await effects.say(state, detail);
    return { sink: sink.name, state, rows, looks: look, detail };
  }
}

/** What was read before a person's stop stays, also if the stop came in the middle of a look. */
function whenStopped({ print }: Standing): "stopped" | "unread" {
  return print === "" ? "unread" : "stopped";
}

interface Turn {
  readonly options: SettleOptions;
  readonly effects: Effects;
  readonly look: number;
  /** One look may take as long as there is time left, and the declared quiet more. */
  readonly leftUs: number;
}

async function lookOnce(
  sink: SinkSpec,
  { options, effects, look, leftUs }: Turn,
  before: Standing,
): Promise<Standing> {
  const { clock } = options;
  const fromUs = clock.nowUs();
  // The first look is taken also when a person has stopped the run: it is quick, and worth having.
  const late = AbortSignal.timeout(Math.ceil(leftUs / US_PER_MS));
  const limit = look === 1 ? late : AbortSignal.any([late, options.signal]);
  try {
    const seen = await effects.take(look, readSink(sink, options, limit));
    const atUs = clock.nowUs();
    const changed = seen.print !== before.print;
    const { rows, counted, print } = seen;
    await effects.keep({ look, from_us: fromUs, at_us: atUs, rows, counted }, changed);
    return { print, rows, sinceUs: changed ? atUs : before.sinceUs, failure: "" };
  } catch (error) {
    if (!limit.aborted && !(error instanceof GatecrashError)) throw error;
    const said = (options.hide ?? String)(messageOf(error));
    const failure = late.aborted ? "one look took longer than `at-most`" : said;
    return { ...before, failure };
  }
}

interface Moment {
  /** When the last look began and ended. */
  readonly fromUs: RunUs;
  readonly nowUs: RunUs;
  readonly deadlineUs: number;
  readonly signal: AbortSignal;
}

function stateOf(
  sink: SinkSpec,
  standing: Standing,
  { fromUs, nowUs, deadlineUs, signal }: Moment,
): SettleState | "looking" {
  const { failure, sinceUs } = standing;
  if (failure === "" && fromUs - sinceUs >= sink.quietUs) return "quiet";
  if (signal.aborted) return whenStopped(standing);
  if (nowUs < deadlineUs) return "looking";
  return failure === "" ? "at-most" : "unread";
}
