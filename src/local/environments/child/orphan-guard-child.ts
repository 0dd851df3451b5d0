// Entry of the guard: reads `+pid` and `-pid` lines; when its input ends, kills the processes left.
import { createInterface } from "node:readline";

/** Children that can still listen have ended themselves by then. */
const GRACE_MS = 500;

const alive = new Set<number>();

for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => {});

createInterface({ input: process.stdin })
  .on("line", (line) => {
    const pid = Number(line.slice(1));
    if (line.startsWith("+")) alive.add(pid);
    else alive.delete(pid);
  })
  .on("close", () => {
    setTimeout(() => {
      for (const pid of alive) {
        try {
          process.kill(pid, "SIGKILL");
        } catch {
          // gone already
        }
      }
    }, GRACE_MS);
  });
