// Writes to a pipe in the last moment of a process, when no turn of the loop will come any more.
import { writeSync } from "node:fs";

/** The other end has so long to take it all. */
const PATIENCE_MS = 2_000;

/** What cannot be written is lost. */
export function writeNow(fd: number, bytes: Buffer): void {
  const untilMs = Date.now() + PATIENCE_MS;
  for (let at = 0; at < bytes.length && Date.now() < untilMs; ) {
    try {
      at += writeSync(fd, bytes, at);
    } catch (thrown) {
      if ((thrown as { code?: string }).code !== "EAGAIN") return; // else: the pipe is full
    }
  }
}
