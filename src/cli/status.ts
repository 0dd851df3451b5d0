// `gatecrash status`: who changes what right now, and until when.
import { Command } from "commander";
import { showField } from "../core/fields.ts";
import { systemClock } from "../run/clock.ts";
import { type AccountLease, readAccount } from "../run/heal-account.ts";
import { type PlaceFlags, placesOf, withPlace } from "./account-place.ts";
import type { CommandContext } from "./context.ts";

interface StatusFlags extends PlaceFlags {
  readonly json?: boolean;
}

const EXAMPLES = `
Examples:
  gatecrash status                                              of what your undo log has open
  gatecrash status --scenario scenarios/checkout --env staging  of an environment, as who observes
`;

export function statusCommand(context: CommandContext): Command {
  const command = new Command("status")
    .description("Say who changes what, and until when. Reads only.")
    .option("--json", "print one JSON document")
    .addHelpText("after", EXAMPLES);
  return withPlace(command).action(async (flags: StatusFlags) => {
    const clock = systemClock();
    const places = await placesOf(flags, "observe", clock);
    const found = (await Promise.all(places.map((place) => readAccount(place)))).flat();
    const leases = found.map((lease) => viewOf(lease, clock.wallMs()));
    const json = (): string => `${JSON.stringify({ leases }, null, 2)}\n`;
    context.out(flags.json === true ? json() : asText(leases));
  });
}

/** One change that somebody holds. */
interface LeaseView {
  readonly run: string;
  readonly fault: string;
  readonly kind: string;
  readonly resource: string;
  /** `host:pid`. */
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
  overdue: "overdue, its run is dead: gatecrash heal --account, or gatecrash abort",
};

function asText(leases: readonly LeaseView[]): string {
  if (leases.length === 0) return "nobody changes anything\n";
  const lines = leases.map(({ run, fault, resource, by, change, until, state }) => {
    const end = state === "stopping" ? ENDING[state] : `${ENDING[state]} ${run}`;
    return (
      `${resource}: ${change}\n` +
      `  fault ${fault} of run ${run} (${by}), until ${until.slice(11, 16)} UTC; ${end}\n`
    );
  });
  return lines.join("");
}
