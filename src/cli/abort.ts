// `gatecrash abort`: stops a run from any machine, or puts back what it left if it is dead.
import { hostname, userInfo } from "node:os";
import { Command } from "commander";
import { EXIT, type ExitCode } from "../core/exit.ts";
import { sameFields } from "../core/fields.ts";
import { runUs, US_PER_S } from "../core/time.ts";
import { systemClock } from "../run/clock.ts";
import { type AccountLease, healAccount, readAccount } from "../run/heal-account.ts";
import { askToAbort, otherHolder } from "../run/lease-calls.ts";
import { isGone } from "../run/process-mark.ts";
import { readFields } from "../run/read-fields.ts";
import { showDrift } from "../run/undo-entry.ts";
import { type Place, type PlaceFlags, withPlace } from "./account-place.ts";
import type { CommandContext } from "./context.ts";
import { lookIntoPlaces, unreachedText } from "./logged-places.ts";
import { HEAL_UNDO_US } from "./run-faults.ts";

interface AbortFlags extends PlaceFlags {
  readonly dead?: boolean;
}

const LOOK_US = 2 * US_PER_S;
/** A run that still holds a lease then is not going to let it go. */
const PATIENCE_US = 600 * US_PER_S;

/** A run shows itself by its leases alone, ten seconds ahead of its first change. */
const NOTHING =
  "holds nothing: it is over, or has not changed anything yet; then it goes on, and is seen here " +
  "and stopped only once it does (on its own machine: Ctrl-C)";

/** Nothing is concluded from a look that was not whole. */
const NOT_FOUND = "was not found; whether it holds anything out of reach is not known";

const EXAMPLES = `
Example:
  gatecrash abort 2026-11-30T19-02Z-k4x0 --scenario scenarios/checkout --env staging

Exit code 4: it was not seen put back, or a place of your undo log is out of reach.
`;

export function abortCommand(context: CommandContext): Command {
  const command = new Command("abort")
    .description("Stop a run that changes something, from any machine, and see it put back.")
    .argument("<run>", "its id, as gatecrash status shows it")
    .option("--dead", "do not wait for it: its process is known to be gone")
    .addHelpText("after", EXAMPLES);
  return withPlace(command).action(async (run: string, flags: AbortFlags) => {
    const clock = systemClock();
    const end = (place: Place) => abortIn(place, run, flags, context);
    const { found, unreached } = await lookIntoPlaces(flags, "restore", clock, end);
    context.err(unreachedText(unreached));
    if (found.every((code) => code === null))
      context.err(`run ${run} ${unreached.length > 0 ? NOT_FOUND : NOTHING}\n`);
    const isOver = unreached.length === 0 && !found.includes(EXIT.undoNotVerified);
    context.exit(isOver ? EXIT.pass : EXIT.undoNotVerified);
  });
}

/** Null: the run holds nothing there. */
async function abortIn(
  place: Place,
  run: string,
  flags: AbortFlags,
  context: CommandContext,
): Promise<ExitCode | null> {
  const { clock } = place;
  const leases = async (): Promise<AccountLease[]> =>
    (await readAccount(place)).leases.filter(({ note }) => note.run === run);
  const untilUs = clock.nowUs() + PATIENCE_US;
  let last: readonly AccountLease[] = [];
  for (let looks = 0; clock.nowUs() < untilUs; looks++) {
    const held = await leases();
    if (held.length === 0) return looks > 0 ? sayStopped(run, last, place, context) : null;
    last = held;
    const isDead = held.every(
      ({ held: { dueMs }, note }) => dueMs <= clock.wallMs() || isGone(note.by),
    );
    if (flags.dead === true || isDead) return healDead(place, run, context);
    await ask(held, place, looks === 0 ? (text) => context.err(text) : () => {});
    await clock.sleepUntil(runUs(clock.nowUs() + LOOK_US), context.signal);
  }
  context.err(`run ${run} still holds its change; it is alive and does not let go\n`);
  return EXIT.undoNotVerified;
}

/** A run gives its lease up, too, where somebody else has changed what it had changed. */
async function sayStopped(
  run: string,
  leases: readonly AccountLease[],
  place: Place,
  context: CommandContext,
): Promise<ExitCode> {
  const others: string[] = [];
  for (const { record } of leases) {
    const { fields, transition } = await readFields(place.control, record.readBack);
    if (transition !== "" || sameFields(fields, record.prior, record.fields)) continue;
    // The next run, which waited for it, may have begun already: that is its own change.
    const next = await otherHolder(record, place, place.clock.nowUs() + LOOK_US);
    if (next === null) others.push(`${record.resource}: ${showDrift(record, fields)}\n`);
  }
  const all = others.length === 0 ? "everything is put back" : "what others have changed stays";
  context.out(`run ${run} changes nothing any more; ${all}\n${others.join("")}`);
  return others.length === 0 ? EXIT.pass : EXIT.undoNotVerified;
}

/** Asked again when the run has moved its lease at the very moment of asking. */
async function ask(
  held: readonly AccountLease[],
  place: Place,
  say: (text: string) => void,
): Promise<void> {
  const who = `${userInfo().username}@${hostname()}`;
  for (const { held: lease, note, record } of held) {
    say(`asking ${note.by} to put back ${record.resource} …\n`);
    if (note.abort === undefined) await askToAbort(lease, who, place.control).catch(() => {});
  }
}

async function healDead(place: Place, dead: string, context: CommandContext): Promise<ExitCode> {
  const report = await healAccount({ ...place, undoUs: HEAL_UNDO_US, dryRun: false, dead });
  const ours = report.healed.filter(({ record }) => record.run === dead);
  for (const { line } of ours) context.out(`${line}\n`);
  const clean = ours.every(({ outcome }) => outcome === "settled");
  return clean ? EXIT.pass : EXIT.undoNotVerified;
}
