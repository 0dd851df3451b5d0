// Is the process of a record still the one that runs under its id?
import { readFileSync } from "node:fs";
import type { ProcessMark } from "./undo-record.ts";

/** The mark of a running process; `began` is null where /proc does not exist. */
export function markProcess(pid: number): ProcessMark {
  return { pid, began: statOf(pid)?.began ?? null };
}

/** False for a process that has ended, that is a zombie, or whose id belongs to another one now. */
export function isRunning(mark: ProcessMark): boolean {
  try {
    process.kill(mark.pid, 0); // signal 0 only asks
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EPERM") return false;
  }
  const stat = statOf(mark.pid);
  if (stat === null || mark.began === null) return true;
  return stat.began === mark.began && stat.state !== "Z";
}

/** Fields 3 and 22 of /proc/<pid>/stat (proc(5)): state, and start time in ticks since boot. */
function statOf(pid: number): { readonly state: string; readonly began: string } | null {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, "utf8");
    // The name in parentheses may hold spaces: fields are counted from behind it.
    const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
    return { state: fields[0] ?? "", began: fields[19] ?? "" };
  } catch {
    return null;
  }
}
