// The last looks before a load: does each route answer, is the join knowable, what is under test?
import { appendFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { changedSince, type Fingerprint, fingerprintOf } from "../aws/fingerprint.ts";
import type { RunEvent } from "../core/facts.ts";
import type { Scenario } from "../core/scenario.ts";
import type { Admitted } from "./admit.ts";
import type { CountedLoad } from "./count-loads.ts";
import { probeJoin } from "./join-probe.ts";
import type { AwsPlace } from "./load-place.ts";
import type { Session } from "./run-session.ts";
import { type Smoked, smoke } from "./smoke.ts";
import type { System } from "./system-contract.ts";

export interface BeforeLoad {
  /** After undo: whatever is not what it was makes the run INVALID. */
  compare(): Promise<void>;
  /** Requests that were made to see whether each route answers, by load. */
  readonly smoked: Smoked["made"];
}

export interface BeforeInput extends Pick<Admitted, "scenario" | "proven"> {
  readonly counted: readonly CountedLoad[];
  readonly aws: AwsPlace;
}

/** Rejects with GatecrashErrors when a route does not match: the load was not started. */
export async function beforeLoad(
  { clock, dir, context, progress, request }: Session,
  system: System,
  { scenario, counted, proven, aws }: BeforeInput,
): Promise<BeforeLoad> {
  if ((request.slice?.index ?? 0) > 0) return { compare: async () => {}, smoked: {} };
  const say = (text: string): void => progress.step(text);
  const fromMs = clock.wallMs();
  const { ids, made: smoked } = await smoke(scenario, counted, { clock, aws, say });
  if (ids.length > 0 && scenario.observe.reports.length > 0) {
    const found = await probeJoin(scenario, system, { ids, fromMs, clock });
    if (found.joined > 0) say(found.text);
    else context.err(`warning: cold and warm will not be told apart: ${found.text}\n`);
  }
  if (system.environment === null) return { compare: async () => {}, smoked };
  const functions = underTest(scenario, system, proven);
  const before = await fingerprintOf(functions, system.control);
  return {
    smoked,
    async compare() {
      const after = await fingerprintOf(functions, system.control);
      await record(dir, clock.nowUs(), before, after);
    },
  };
}

const FUNCTION = /^arn:[^:]+:lambda:[^:]+:\d+:function:/;

/** What the loads reach, what is observed, and what the outputs name. */
function underTest(
  { observe, loads }: Scenario,
  { outputs }: System,
  proven: Admitted["proven"],
): string[] {
  return [
    ...proven.flatMap(({ proof }) => proof?.functions ?? []),
    ...loads.flatMap(({ target }) => (target.kind === "lambda" ? [target.function] : [])),
    ...[...observe.reports, ...observe.metricFunctions, ...Object.values(outputs)].filter((text) =>
      FUNCTION.test(text),
    ),
  ];
}

async function record(
  dir: string,
  t: number,
  before: Fingerprint,
  after: Fingerprint,
): Promise<void> {
  const text = `${JSON.stringify({ before, after }, null, 2)}\n`;
  await writeFile(join(dir, "fingerprint.json"), text);
  for (const detail of changedSince(before, after)) {
    const line: RunEvent = { t, kind: "invalid", detail };
    await appendFile(join(dir, "events", "fingerprint.jsonl"), `${JSON.stringify(line)}\n`);
  }
}
