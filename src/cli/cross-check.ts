// `saturate: { with: autocannon }`: the same closed loop once more by another sender, as a fact.
import { once } from "node:events";
import { appendFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import { builtFile } from "../core/built-file.ts";
import { messageOf } from "../core/error.ts";
import type { CrossCheckEvent } from "../core/facts.ts";
import type { Load, Scenario } from "../core/scenario.ts";
import { type Clock, US_PER_S } from "../core/time.ts";
import type { RunSummary } from "../run/run-contract.ts";
import type { AutocannonFigures, AutocannonOrder } from "./autocannon-thread.ts";
import { staticHeader } from "./load-auth.ts";

export interface CrossCheckInput {
  readonly dir: string;
  readonly scenario: Scenario;
  readonly summary: RunSummary;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly progress: (text: string) => void;
  readonly secretsIn: (text: string) => string;
}

/** As long as half of the load, in these bounds. */
const SECONDS_MIN = 1;
const SECONDS_MAX = 10;

/**
 * After everything else that a run sends and reads, so that nothing of it is mixed up with the run.
 * Never rejects: a check that cannot be made is written down with its reason.
 */
export async function crossCheck(input: CrossCheckInput): Promise<void> {
  const { dir, scenario, clock } = input;
  for (const load of scenario.loads) {
    const { driver } = load;
    if (driver.kind !== "saturate" || driver.with !== "autocannon") continue;
    const figures = await checked(input, load, driver.connections);
    const by = `autocannon ${autocannonVersion()}`;
    const event: CrossCheckEvent = { kind: "cross-check", load: load.name, by, ...figures };
    const line = `${JSON.stringify({ t: clock.nowUs(), ...event })}\n`;
    await appendFile(join(dir, "events", "cross-check.jsonl"), line);
  }
}

type Figures = Omit<CrossCheckEvent, "kind" | "load" | "by">;

async function checked(input: CrossCheckInput, load: Load, connections: number): Promise<Figures> {
  const { summary, signal, scenario, progress } = input;
  const half = Math.floor((load.endUs - load.startUs) / 2 / US_PER_S);
  const seconds = Math.min(SECONDS_MAX, Math.max(SECONDS_MIN, half));
  const none = { seconds, answers: 0, failures: 0, cpu: 0 };
  if (summary.stoppedBy !== null || summary.failure !== null)
    return { ...none, skipped: "the run did not come to its end" };
  const auth = load.target.kind === "http" ? load.target.auth : undefined;
  if (auth !== undefined && auth.kind !== "static")
    return { ...none, skipped: "autocannon neither signs nor renews a token" };
  const sent = summary.rows.reduce((sum, rows) => sum + rows, 0);
  const requestsMax = scenario.limits.requests - sent;
  const spanS = (load.endUs - load.startUs) / US_PER_S;
  if (requestsMax < (sent / spanS) * (seconds + 1) * 2)
    return { ...none, skipped: "limits.requests leaves too few for a second sender" };
  progress(`the same closed loop by autocannon, for ${seconds} s`);
  try {
    const order = orderOf(load, input.secretsIn, { connections, seconds, requestsMax });
    return { ...(await figuresOf(order, signal)), skipped: "" };
  } catch (error) {
    return { ...none, skipped: messageOf(error) };
  }
}

function orderOf(
  { target }: Load,
  close: (text: string) => string,
  rest: Pick<AutocannonOrder, "connections" | "seconds" | "requestsMax">,
): AutocannonOrder {
  if (target.kind !== "http") throw new Error(`autocannon cannot send to ${target.kind}`);
  const headers = [
    ...target.headers.map(([name, value]) => [name, close(value)] as const),
    ...staticHeader(target.auth, close),
  ];
  return {
    ...{ url: target.url, method: target.method ?? "GET", ...rest },
    headers: Object.fromEntries(headers),
    timeoutS: Math.ceil(target.timeoutUs / US_PER_S),
  };
}

async function figuresOf(order: AutocannonOrder, signal: AbortSignal): Promise<AutocannonFigures> {
  signal.throwIfAborted();
  const entry = builtFile("./autocannon-thread.js", import.meta.url);
  const thread = new Worker(entry, { workerData: order, execArgv: [] });
  try {
    const [figures] = await once(thread, "message", { signal });
    return figures as AutocannonFigures;
  } finally {
    await thread.terminate();
  }
}

function autocannonVersion(): string {
  const { version } = createRequire(import.meta.url)("autocannon/package.json") as {
    readonly version: string;
  };
  return version;
}
