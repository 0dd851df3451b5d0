// Is the process of a record still the one that runs under its id?
import { createHash } from "node:crypto";
import { readFileSync, readlinkSync } from "node:fs";
import { hostname } from "node:os";
import type { ProcessMark } from "./undo-record.ts";

/** The mark of a running process; `began` and `among` are null where /proc does not exist. */
export function markProcess(pid: number): ProcessMark {
  return { pid, began: statOf(pid)?.began ?? null, among: among() };
}

/** `unknown`: of a process that cannot be seen from here. */
export type Life = "runs" | "ended" | "unknown";

/**
 * `ended` is a proof: a process that is not there, a zombie, or one whose id belongs to another by
 * now. Of another machine, container or boot nothing can be proven, whatever its host is called.
 */
export function lifeOf(mark: ProcessMark): Life {
  if (mark.among !== undefined && mark.among !== among()) return "unknown";
  try {
    process.kill(mark.pid, 0); // signal 0 only asks
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EPERM") return "ended";
  }
  const stat = statOf(mark.pid);
  if (stat === null || mark.began === null) return "runs";
  return stat.began === mark.began && stat.state !== "Z" ? "runs" : "ended";
}

/** Who holds a lease, for any machine: `host:pid`, with `/` and where the id holds, if known. */
export function holderName(pid: number): string {
  const where = among();
  return `${hostname()}${where === null ? "" : `/${where}`}:${pid}`;
}

/** True when it is proven that this holder has ended. */
export function isGone(holder: string): boolean {
  const [, where, pid] = /\/(\w+):(\d+)$/.exec(holder) ?? [];
  if (where === undefined) return false;
  return lifeOf({ pid: Number(pid), began: null, among: where }) === "ended";
}

/**
 * Ids of processes hold within one boot of one kernel and one namespace. Containers have namespaces
 * of their own, and often one host name; hosts that were made alike have one, too.
 */
function among(): string | null {
  try {
    const boot = readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();
    const namespace = readlinkSync("/proc/self/ns/pid");
    return createHash("sha256").update(`${boot}\n${namespace}`).digest("hex").slice(0, 10);
  } catch {
    return null;
  }
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
