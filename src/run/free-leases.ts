// Before anything is sent: nobody else holds what this run will change, or it is waited for.
import type { Fault } from "../core/change.ts";
import { type Clock, runUs, US_PER_S } from "../core/time.ts";
import { busy, type LeasePorts, lookAt } from "./lease-calls.ts";
import { type HeldLease, leaseNames } from "./lease-record.ts";
import { isGone } from "./process-mark.ts";

const ASK_US = 10 * US_PER_S;
const AGAIN_US = 5 * US_PER_S;

/**
 * Rejects with GatecrashError("refused") that names the holder, once `waitUs` are over. Whoever
 * waits heals what a dead holder has left: nobody else may ever come to do it. That it is free now
 * is no promise: the lease itself is taken when the fault begins.
 */
export async function awaitFree(
  faults: readonly Fault[],
  ports: LeasePorts,
  wait: {
    readonly us: number;
    readonly say: (text: string) => void;
    readonly signal: AbortSignal;
    /** Puts back what a holder has left that is dead or overdue. */
    readonly heal: (held: HeldLease) => Promise<void>;
  },
): Promise<void> {
  const { clock } = ports;
  const untilUs = clock.nowUs() + wait.us;
  let told = "";
  for (const { resources, read } of faults) {
    const resource = resources[0] ?? "";
    for (const name of leaseNames({ resource, fields: read.fields, undo: [] })) {
      for (;;) {
        const held = await lookAt(name, ports, clock.nowUs() + ASK_US);
        if (held === "none") break;
        const refusal = busy(resource, held);
        if (clock.nowUs() >= untilUs) throw refusal;
        if (held !== "unreadable" && isDead(held, clock)) await wait.heal(held);
        else if (refusal.message !== told) wait.say(`waiting: ${refusal.message}`);
        told = refusal.message;
        await clock.sleepUntil(runUs(clock.nowUs() + AGAIN_US), wait.signal);
      }
    }
  }
}

const isDead = ({ dueMs, note }: HeldLease, clock: Clock): boolean =>
  note !== null && (dueMs <= clock.wallMs() || isGone(note.by));
