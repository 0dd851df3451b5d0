// The calls to EventBridge Scheduler around leases: who holds one, asking a run to stop, deleting.
import { AwsFailure, type ControlPlane } from "../core/change.ts";
import { GatecrashError } from "../core/error.ts";
import { formatMinute } from "../core/format.ts";
import type { Clock } from "../core/time.ts";
import { encodeNote, type LeaseNote } from "./lease-note.ts";
import { type HeldLease, LEASE_GROUP, partOf, readSchedule } from "./lease-record.ts";
import { mayPass, type Pace, pause, settledBy } from "./pace.ts";
import type { UndoRecord } from "./undo-record.ts";

export interface LeasePorts {
  readonly control: ControlPlane;
  readonly clock: Clock;
  readonly pace: Pace;
}

export type Output = { readonly [key: string]: unknown };

/** Who holds a name now. */
export async function lookAt(
  name: string,
  ports: LeasePorts,
  untilUs: number,
): Promise<HeldLease | "none" | "unreadable"> {
  const input = { Name: name, GroupName: LEASE_GROUP };
  try {
    const read = (): Promise<Output> => ports.control.call("scheduler", "GetSchedule", input);
    return readSchedule(await tried(read, ports, untilUs)) ?? "unreadable";
  } catch (error) {
    if (isNamed(error, "ResourceNotFoundException")) return "none";
    throw error;
  }
}

export interface ListedLeases {
  readonly held: readonly HeldLease[];
  /** Names of schedules of the group that are no lease. */
  readonly unreadable: readonly string[];
}

/** All of the group, read one by one: a list has neither description nor target's input. */
export async function listLeases(ports: LeasePorts, untilUs: number): Promise<ListedLeases> {
  const held: HeldLease[] = [];
  const unreadable: string[] = [];
  for (const name of await listNames(ports, untilUs)) {
    const found = await lookAt(name, ports, untilUs);
    if (found === "unreadable") unreadable.push(name);
    else if (found !== "none") held.push(found);
  }
  return { held, unreadable };
}

async function listNames(ports: LeasePorts, untilUs: number): Promise<string[]> {
  const list = (): Promise<Output> =>
    ports.control.call("scheduler", "ListSchedules", { GroupName: LEASE_GROUP });
  const output = await tried(list, ports, untilUs).catch((error: unknown) => {
    if (isNamed(error, "ResourceNotFoundException")) return {} as Output; // no group, no leases
    throw error;
  });
  return ((output.Schedules ?? []) as { Name: string }[]).map(({ Name }) => Name);
}

/** Deletes the schedules of one lease, never those that another run has made under their names. */
export async function removeLease(
  names: readonly string[],
  isOurs: (note: LeaseNote | null) => boolean,
  ports: LeasePorts,
  untilUs: number,
): Promise<void> {
  const [first, ...parts] = names;
  if (first === undefined) return;
  const held = await lookAt(first, ports, untilUs);
  if (held !== "none" && !isOurs(held === "unreadable" ? null : held.note)) return;
  for (const name of parts.reverse()) {
    const part = await lookAt(name, ports, untilUs);
    const isPart = typeof part !== "string" && part.input.Description === partOf(names);
    if (isPart) await removeSchedule(name, ports, untilUs);
  }
  if (held !== "none") await removeSchedule(first, ports, untilUs);
}

/** The other run that holds a record's lease by now: what is in force is its change. Or null. */
export async function otherHolder(
  { run, leases: [first] = [] }: UndoRecord,
  ports: LeasePorts,
  untilUs: number,
): Promise<string | null> {
  if (first === undefined) return null;
  const held = await lookAt(first, ports, untilUs);
  const note = typeof held === "string" ? null : held.note;
  return note === null || note.run === run ? null : note.run;
}

const ASK_US = 10_000_000;

/** When the lease of a record's own run is due; 0 = that run has none, or nobody says. */
export async function heldUntil(
  { run, leases: [name] = [] }: UndoRecord,
  ports: LeasePorts,
): Promise<number> {
  if (name === undefined) return 0;
  const asked = lookAt(name, ports, ports.clock.nowUs() + ASK_US);
  const held = await asked.catch(() => "unreadable" as const);
  return typeof held !== "string" && held.note?.run === run ? held.dueMs : 0;
}

const NOBODY = "gc-nobody";

/**
 * Whether leases could be given up, and by who heals found: asked with a name that nobody has, so
 * that nothing is changed. Rejects with GatecrashError("refused").
 */
export async function proveLeaseRights(purpose: "inject" | "restore", ports: LeasePorts) {
  const untilUs = ports.clock.nowUs() + ASK_US;
  try {
    await removeSchedule(NOBODY, ports, untilUs);
    if (purpose === "inject") return;
    await lookAt(NOBODY, ports, untilUs);
    await listNames(ports, untilUs);
  } catch (cause) {
    if (!(cause instanceof AwsFailure)) throw cause;
    const why = `${cause.name}: ${cause.message}`;
    throw new GatecrashError("refused", `who ${purpose}s may not handle leases: ${why}`, {
      hint: "nothing was changed; gatecrash plan --iam prints the rights that are needed",
      cause,
    });
  }
}

/** Deleted, or gone already. */
async function removeSchedule(name: string, ports: LeasePorts, untilUs: number): Promise<void> {
  const input = { Name: name, GroupName: LEASE_GROUP };
  try {
    await tried(() => ports.control.call("scheduler", "DeleteSchedule", input), ports, untilUs);
  } catch (error) {
    if (!isNamed(error, "ResourceNotFoundException")) throw error;
  }
}

/** From any machine: the run sees it within seconds, and keeps it when it moves its lease. */
export async function askToAbort(held: HeldLease, who: string, control: ControlPlane) {
  if (held.note === null) throw new Error(`schedule ${held.name} has no record`);
  const Description = encodeNote({ ...held.note, abort: who });
  await control.call("scheduler", "UpdateSchedule", { ...held.input, Description });
}

export function busy(resource: string, held: HeldLease | "unreadable"): GatecrashError {
  const note = held === "unreadable" ? null : held.note;
  const who =
    note === null ? "somebody" : `run ${note.run} (fault ${note.fault}, process ${note.by})`;
  const until = held === "unreadable" ? "" : ` until ${formatMinute(held.dueMs)}`;
  return new GatecrashError("refused", `${resource} is held by ${who}${until}`, {
    hint:
      note === null
        ? `look at the schedules of group ${LEASE_GROUP}`
        : `wait for it with --wait 30m, stop it with gatecrash abort ${note.run}, ` +
          "or, when it is overdue, gatecrash heal --scenario … --env …",
  });
}

export async function makeGroup(ports: LeasePorts, untilUs: number): Promise<void> {
  const make = (): Promise<Output> =>
    ports.control.call("scheduler", "CreateScheduleGroup", { Name: LEASE_GROUP });
  try {
    await tried(make, ports, untilUs, isTaken);
  } catch (error) {
    if (!isTaken(error)) throw error;
  }
}

/** Again after what may pass, until `untilUs`; an error that `isFinal` is an answer. */
export async function tried<T>(
  call: () => Promise<T>,
  ports: LeasePorts,
  untilUs: number,
  isFinal: (error: unknown) => boolean = () => false,
): Promise<T> {
  const { clock, pace } = ports;
  for (;;) {
    try {
      const result = await settledBy(call(), clock, untilUs);
      if (result === "late") throw new AwsFailure("TimeoutError", "no answer in time", "", 0);
      return result;
    } catch (error) {
      if (!mayPass(error) || isFinal(error) || clock.nowUs() >= untilUs) throw error;
      await pause(clock, pace.retryUs, untilUs);
    }
  }
}

export const isNamed = (error: unknown, name: string): boolean =>
  error instanceof AwsFailure && error.name === name;

/** What a create is told when the name exists; to any other call it is an error that may pass. */
export const isTaken = (error: unknown): boolean => isNamed(error, "ConflictException");
