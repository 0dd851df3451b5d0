// What is said when a signal ends a run: what is being put back, and who does it if we are killed.
import { formatMinute } from "../core/format.ts";
import { type Clock, runUs, US_PER_S } from "../core/time.ts";
import type { UndoableFault } from "../run/fault-runner.ts";

export interface HandOverPorts {
  readonly clock: Clock;
  /** Of the person, or of a CI that cancels: its reason is the signal's name. */
  readonly signal: AbortSignal;
  /** The run is over. */
  readonly over: AbortSignal;
  /** Asked when there is something to say: those that have begun, oldest first. */
  readonly faults: () => readonly UndoableFault[];
  /** The command that puts back what this process could not. */
  readonly heal: string;
  readonly say: (text: string) => void;
}

/** A CI kills a cancelled job 10 s after its first signal: by then everything has been said. */
const LATE_US = 8 * US_PER_S;

/** Says it at once and, where undo takes long, once more. Undo itself goes on all the time. */
export function watchHandOver(ports: HandOverPorts): void {
  const { signal, over } = ports;
  const told = (): void => void tell(ports).catch(() => {}); // the run was over before
  if (signal.aborted) told();
  else signal.addEventListener("abort", told, { once: true, signal: over });
}

async function tell({ clock, signal, over, faults, heal, say }: HandOverPorts): Promise<void> {
  const open = faults().filter(({ undo }) => undo === "open");
  if (open.length === 0) return;
  say(`${String(signal.reason)}: nothing more is sent; putting back ${list(open)}\n`);
  say(`  if this process is killed: ${heal}${deadMan(open)}\n`);
  await clock.sleepUntil(runUs(clock.nowUs() + LATE_US), over);
  const late = faults().filter(({ undo }) => undo === "open" || undo === "failed");
  const isOthers = faults().some(({ undo }) => undo === "drift");
  const all = isOthers ? "what others have changed stays, all else" : "everything";
  if (late.length === 0) say(`${all} is put back; only the report is still to come\n`);
  else say(`NOT PUT BACK YET: ${list(late)}; it is tried on. ${heal}${deadMan(late)}\n`);
}

const list = (faults: readonly UndoableFault[]): string =>
  faults.map(({ name, command }) => (command === "" ? name : `${name} (${command})`)).join(", ");

/** The last of them: by then all have acted. */
function deadMan(faults: readonly UndoableFault[]): string {
  const dues = faults.flatMap(({ dueMs }) => dueMs ?? []);
  if (dues.length === 0) return "";
  return `, or its dead-man by itself at ${formatMinute(Math.max(...dues))}`;
}
