// Queues of failures: looked at before the load, and afterwards rid of what this run left there.

import { appendFile } from "node:fs/promises";
import { join } from "node:path";
import { GatecrashError, messageOf } from "../core/error.ts";
import type { RunEvent } from "../core/facts.ts";
import { arnIn } from "../core/partition.ts";
import type { CleanUpSpec, Load, Scenario } from "../core/scenario.ts";
import type { Settled } from "../observe/sinks/settle.ts";
import { type Taken, takeOwn, whyNotTaken } from "../observe/take-own.ts";
import { OWN_COLUMNS, ownMessages } from "../report/own-messages.ts";
import { segments } from "../report/run-files.ts";
import type { Session } from "./run-session.ts";
import type { System } from "./system-contract.ts";

type Cleaned = Load & { readonly cleanUp: CleanUpSpec };

/** What it needs to be allowed to do with its queue. */
export const CLEAN_UP_ACTIONS = [
  ...["sqs:ReceiveMessage", "sqs:DeleteMessage"],
  ...["sqs:ChangeMessageVisibility", "sqs:GetQueueAttributes"],
];

/** Each queue once: whichever load declares it, all loads' messages are looked for. */
export function cleanedOf({ loads }: Scenario): Cleaned[] {
  const cleaned = loads.filter((load): load is Cleaned => load.cleanUp !== undefined);
  return [...new Map(cleaned.map((load) => [load.cleanUp.queue, load])).values()];
}

/** Before anything is sent. Throws GatecrashError `refused`. */
export async function checkCleanUps(scenario: Scenario, system: System): Promise<void> {
  for (const { name, cleanUp: spec, line } of cleanedOf(scenario)) {
    const why = await refusalOf(spec, system);
    if (why === "") continue;
    const place = { file: scenario.file, ...(line === undefined ? {} : { line }) };
    throw new GatecrashError(
      "refused",
      `load ${name}: ${spec.queue} cannot be cleaned up: ${why}`,
      {
        hint: "correct the queue, or leave out `clean-up:`: what fails then stays where it lands",
        place,
      },
    );
  }
}

async function refusalOf(spec: CleanUpSpec, system: System): Promise<string> {
  const [, , , region, account] = spec.queue.split(":");
  if (account !== system.account || region !== system.region)
    return `this run is for account ${system.account} ${system.region}`;
  try {
    return await whyNotTaken({ spec, control: system.load });
  } catch (error) {
    return messageOf(error);
  }
}

/**
 * When the sinks are read: what counts dead letters must have seen them. Nothing that goes wrong
 * here changes what was judged; it is an event, and a warning.
 */
export async function cleanUp(
  { dir, clock, context, progress, hide }: Session,
  system: System,
  { scenario, settled, signal }: Ended,
): Promise<void> {
  const streams = scenario.loads.map((load) => streamOf(load, system));
  for (const load of cleanedOf(scenario)) {
    const { name, cleanUp: spec } = load;
    progress.step(`taking this run's messages out of ${spec.queue.split(":").at(-1)}`);
    const unread = unreadSink(load, scenario, settled);
    const items = () => segments(join(dir, "items"), OWN_COLUMNS);
    const ports = { spec, control: system.load, clock, signal };
    const common = { kind: "clean-up", load: name, queue: spec.queue } as const;
    const write = (of: Taken): Promise<void> => {
      const line: RunEvent = { t: clock.nowUs(), ...common, ...of };
      return appendFile(join(dir, "events", "clean-up.jsonl"), `${JSON.stringify(line)}\n`);
    };
    await write({ ...NOTHING, end: "begun", detail: "" });
    const taken: Taken =
      unread === undefined
        ? await takeOwn({ ...ports, areOurs: (claims) => ownMessages(items(), streams, claims) })
        : { ...NOTHING, detail: `sink ${unread} could not be read, so what it counts stays` };
    const detail = hide(taken.detail);
    await write({ ...taken, detail });
    if (detail !== "") context.err(`warning: ${spec.queue} was not cleaned up: ${detail}\n`);
  }
}

export interface Ended {
  readonly scenario: Scenario;
  readonly settled: readonly Settled[];
  readonly signal: AbortSignal;
}

const NOTHING = { found: 0, ours: 0, deleted: 0, given_back: 0, end: "skipped" } as const;

/** A queue holds what failed of every load that is sent to the same place. */
function unreadSink(
  { target }: Load,
  { sinks, loads }: Scenario,
  settled: readonly Settled[],
): string | undefined {
  const placed = loads.filter((load) => load.target.kind === target.kind).map(({ name }) => name);
  const counting = sinks.filter(({ of }) => of.some((name) => placed.includes(name)));
  return counting.find(({ name }) => {
    return settled.every(({ sink, state }) => sink !== name || state === "unread");
  })?.name;
}

function streamOf({ target }: Load, system: System): string | null {
  if (target.kind !== "kinesis") return null;
  const { stream } = target;
  if (stream.startsWith("arn:")) return stream;
  return arnIn(system, "kinesis", `stream/${stream}`);
}
