// `gatecrash status`: who changes what right now, and until when.
import { Command } from "commander";
import { EXIT } from "../core/exit.ts";
import { showField } from "../core/fields.ts";
import { formatMinute } from "../core/format.ts";
import type { Clock } from "../core/time.ts";
import { systemClock } from "../run/clock.ts";
import { closeFound, type FoundReport } from "../run/close-found.ts";
import { type AccountLease, readAccount } from "../run/heal-account.ts";
import { undoFile, undoLogPath } from "../run/undo-file.ts";
import { createUndoLog } from "../run/undo-log.ts";
import type { UndoRecord } from "../run/undo-record.ts";
import { connectTo, namesPlace, type PlaceFlags, withPlace } from "./account-place.ts";
import type { CommandContext } from "./context.ts";
import { lookIntoPlaces, unreachedText } from "./logged-places.ts";
import { ownerAlive } from "./run-undo.ts";

interface StatusFlags extends PlaceFlags {
  readonly json?: boolean;
}

const EXAMPLES = `
Examples:
  gatecrash status                                              of what your undo log has open
  gatecrash status --scenario scenarios/checkout --env staging  of an environment, as who observes

Exit code 2: a place of your undo log is out of reach, what is said of the others holds.
`;

export function statusCommand(context: CommandContext): Command {
  const command = new Command("status")
    .description("Say who changes what, and until when. Changes nothing in any account.")
    .option("--json", "print one JSON document")
    .addHelpText("after", EXAMPLES);
  return withPlace(command).action(async (flags: StatusFlags) => {
    const clock = systemClock();
    // What was put back from elsewhere is closed first: then it is no open end any more.
    const { closed, open } = namesPlace(flags) ? NOTHING_LOGGED : await ownLog(flags, clock);
    const { found, unreached } = await lookIntoPlaces(flags, "observe", clock, readAccount);
    const held = found.flatMap((account) => account.leases);
    const unclear = found.flatMap((account) => account.unclear);
    const leases = held.map((lease) => viewOf(lease, clock.wallMs()));
    const isHeld = ({ resource, run }: UndoRecord): boolean =>
      leases.some((lease) => lease.resource === resource && lease.run === run);
    const left = open.filter((record) => !isHeld(record));
    context.err(unreachedText(unreached));
    if (unreached.length > 0) context.exit(EXIT.inconclusive);
    if (flags.json === true) {
      const settled = closed.map(({ record }) => logged(record));
      const all = { leases, settled, open: left.map(logged), unclear, unreached };
      context.out(`${JSON.stringify(all, null, 2)}\n`);
      return;
    }
    const settled = closed.map(({ line }) => `${line}: your undo log is settled\n`);
    const isQuiet = leases.length === 0 && left.length + unclear.length + unreached.length > 0;
    const others = [...left.map(openText), ...unclear.map((text) => `${text}\n`)];
    context.out([...settled, isQuiet ? "" : asText(leases), ...others].join(""));
  });
}

const NOTHING_LOGGED: FoundReport = { closed: [], open: [] };

/** Of this machine: a change that was put back from elsewhere is still open in it. */
function ownLog({ profile }: StatusFlags, clock: Clock): Promise<FoundReport> {
  const file = undoFile(undoLogPath(process.env));
  return closeFound({
    undoLog: createUndoLog({ file, clock, alive: ownerAlive }),
    clock,
    connect: (record) => {
      return connectTo(record, { purpose: "observe", profile, runId: record.run }, clock);
    },
    ownerAlive,
  });
}

const logged = ({ run, fault, resource, command }: UndoRecord) => ({
  ...{ run, fault, resource, command },
});

const openText = ({ resource, fault, run }: UndoRecord): string =>
  `${resource}: changed by fault ${fault} of run ${run}, which is dead, and still open in your ` +
  "undo log: gatecrash heal\n";

/** One change that somebody holds. */
interface LeaseView {
  readonly run: string;
  readonly fault: string;
  readonly kind: string;
  readonly resource: string;
  /** `host/where:pid`. */
  readonly by: string;
  readonly change: string;
  /** When the dead-man puts it back, unless its run shows that it is alive. */
  readonly until: string;
  readonly state: "held" | "overdue" | "stopping";
  readonly command: string;
}

function viewOf({ held, note, record }: AccountLease, nowMs: number): LeaseView {
  const changes = record.fields.map((field) => {
    return `${field} ${showField(note.prior, field)} → ${showField(note.ours, field)}`;
  });
  const late = held.dueMs <= nowMs;
  return {
    run: note.run,
    fault: note.fault,
    kind: note.kind,
    resource: note.on,
    by: note.by,
    change: changes.join(", "),
    until: new Date(held.dueMs).toISOString(),
    state: late ? "overdue" : note.abort === undefined ? "held" : "stopping",
    command: record.command,
  };
}

const ENDING: { readonly [state in LeaseView["state"]]: string } = {
  held: "stop it: gatecrash abort",
  stopping: "was asked to stop",
  overdue: "overdue, its run is dead: gatecrash heal --scenario … --env …, or gatecrash abort",
};

function asText(leases: readonly LeaseView[]): string {
  if (leases.length === 0) return "nobody changes anything\n";
  const lines = leases.map(({ run, fault, resource, by, change, until, state }) => {
    const end = state === "stopping" ? ENDING[state] : `${ENDING[state]} ${run}`;
    return (
      `${resource}: ${change}\n` +
      `  fault ${fault} of run ${run} (${by}), until ${formatMinute(Date.parse(until))}; ${end}\n`
    );
  });
  return lines.join("");
}
