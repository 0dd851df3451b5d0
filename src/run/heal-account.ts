// Heals from the leases in the account: any machine can, with no undo log of its own.
import type { ControlPlane } from "../core/change.ts";
import { commandsOf } from "../core/command.ts";
import { formatMinute } from "../core/format.ts";
import type { Clock } from "../core/time.ts";
import { type HealReport, heal } from "./heal.ts";
import { type LeasePorts, listLeases } from "./lease-calls.ts";
import type { LeaseNote } from "./lease-note.ts";
import { type HeldLease, LEASE_GROUP, leaseNames, partOf } from "./lease-record.ts";
import type { UndoEntry, UndoRecord } from "./undo-record.ts";

/** Where the leases are. */
export interface AccountPlace {
  /** Loopback URL, or `aws`. */
  readonly endpoint: string;
  readonly account: string;
  readonly region: string;
}

export interface AccountPorts extends LeasePorts {
  readonly clock: Clock;
  readonly control: ControlPlane;
  readonly place: AccountPlace;
  readonly undoUs: number;
  readonly dryRun: boolean;
  /** A run that is known to be dead: its leases alone are healed, also before they are due. */
  readonly dead?: string;
  /** What is changed of this resource alone. */
  readonly resource?: string;
  /** Is it proven that this holder has ended? Absent: nobody can tell. */
  readonly isGone?: (by: string) => boolean;
}

/** One lease of the account and what it says. */
export interface AccountLease {
  readonly held: HeldLease;
  readonly note: LeaseNote;
  readonly record: UndoRecord;
}

/** Longest time for reading the list. */
const LIST_US = 30_000_000;
/** More fields or calls than any fault has. */
const PARTS_MAX = 64;

/** A lease that is not yet due belongs to a run that may be alive: it is left alone. */
export async function healAccount(ports: AccountPorts): Promise<HealReport> {
  const { clock, control, dead, resource } = ports;
  const read = await readAccount(ports);
  const leases = read.leases.filter(
    ({ note: { run, on } }) => run === (dead ?? run) && on === (resource ?? on),
  );
  const dueOf = new Map(leases.map(({ held, record }) => [record.id, held.dueMs]));
  const gone = leases.filter(({ note }) => note.run === dead || ports.isGone?.(note.by) === true);
  const isHeld = (record: UndoRecord): boolean =>
    gone.every((lease) => lease.record.id !== record.id) &&
    (dueOf.get(record.id) ?? 0) > clock.wallMs();
  const report = await heal({
    undoLog: {
      path: `schedules of ${ports.place.account}`,
      read: async () => ({ entries: leases.map(entryOf), torn: 0 }),
      open: async () => {},
      mark: async () => {}, // the schedule itself is the record: deleted when all is verified
    },
    clock,
    connect: async () => control,
    owner: (record) => (isHeld(record) ? "runs" : "ended"),
    busy: (record) => `left alone: ${untilText(record, dueOf.get(record.id) ?? 0)}`,
    localGone: () => false,
    stopLocal: async () => {},
    undoUs: ports.undoUs,
    dryRun: ports.dryRun,
  });
  const isWhole = dead === undefined && resource === undefined;
  const unclear = isWhole ? read.unclear : [];
  return { ...report, unclear, clean: report.clean && unclear.length === 0 };
}

export interface AccountLeases {
  /** Each with its record, oldest due first. */
  readonly leases: readonly AccountLease[];
  /** A sentence for each schedule of the group that says no longer whose it is. */
  readonly unclear: readonly string[];
}

export async function readAccount(
  ports: LeasePorts & { readonly place: AccountPlace },
): Promise<AccountLeases> {
  const { held: all, unreadable } = await listLeases(ports, ports.clock.nowUs() + LIST_US);
  const leases = all.flatMap((held) => {
    const { note } = held;
    return note === null ? [] : [{ held, note, record: recordOf(held, note, all, ports.place) }];
  });
  leases.sort((a, b) => a.held.dueMs - b.held.dueMs);
  const parts = new Set(all.map(({ name }) => partOf([name])));
  const edited = all.filter(
    ({ note, input }) => note === null && !parts.has(String(input.Description)),
  );
  const names = [...edited.map(({ name }) => name), ...unreadable].sort();
  return { leases, unclear: names.map((name) => unclearText(name, ports.place)) };
}

const unclearText = (name: string, place: AccountPlace): string => {
  const input = { Name: name, GroupName: LEASE_GROUP };
  const command = commandsOf([{ service: "scheduler", action: "DeleteSchedule", input }], place);
  return (
    `schedule ${name} of ${place.account} no longer says whose it is, somebody has edited it; ` +
    `unless a run is changing something, look at what it would do, and then: ${command}`
  );
};

function recordOf(
  held: HeldLease,
  note: LeaseNote,
  all: readonly HeldLease[],
  place: AccountPlace,
): UndoRecord {
  const fields = [...new Set([...Object.keys(note.prior), ...Object.keys(note.ours)])].sort();
  const parts = partsOf(held, note.on, fields, all);
  const [service = "", action = ""] = note.read.split(":");
  const { busy, none } = note;
  const unsettled = busy === undefined ? {} : { unsettled: busy };
  const absent = none === undefined ? {} : { absent: none };
  const readBack = { service, action, input: note.with, fields, ...unsettled, ...absent };
  const undo = [held, ...parts].flatMap((lease) =>
    lease.undo === null ? [] : [{ ...lease.undo, readBack }],
  );
  return {
    v: 1,
    id: `${note.run}/${note.fault}/${held.name}`,
    run: note.run,
    fault: note.fault,
    kind: note.kind,
    ...place,
    local: null,
    resource: note.on,
    owner: { pid: Number(note.by.split(":").at(-1)), began: null },
    fields,
    prior: note.prior,
    faulted: note.ours,
    undo,
    readBack,
    command: commandsOf(undo, place),
    leases: [held.name, ...parts.map(({ name }) => name)],
  };
}

/** In the order in which the undo's calls were listed. */
function partsOf(
  { name }: HeldLease,
  resource: string,
  fields: readonly string[],
  all: readonly HeldLease[],
): HeldLease[] {
  const more = Array.from({ length: PARTS_MAX }, (_, at) => fields[at] ?? `#${at}`);
  const order = leaseNames({ resource, fields: more, undo: [] });
  const at = (lease: HeldLease): number => order.indexOf(lease.name);
  const parts = all.filter((lease) => lease.input.Description === partOf([name]));
  return parts.sort((a, b) => at(a) - at(b));
}

/** The inject call may have had no answer: nothing is believed at one reading. */
const entryOf = ({ record }: AccountLease): UndoEntry => ({
  record,
  state: "injecting",
  at: 0,
  detail: null,
});

const untilText = ({ run }: UndoRecord, dueMs: number): string =>
  `run ${run} holds it until ${formatMinute(dueMs)}; stop that with gatecrash abort ${run}`;
