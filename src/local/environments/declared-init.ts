// The declared part of an init: a wait that is added to the real evaluation of the module.
import { performance } from "node:perf_hooks";

/** Waits at least `ms` (timers may fire early) and resolves to what it really took. */
export async function waitDeclared(ms: number): Promise<number> {
  const startMs = performance.now();
  for (;;) {
    const passedMs = performance.now() - startMs;
    if (passedMs >= ms) return passedMs;
    await new Promise((resolve) => setTimeout(resolve, Math.ceil(ms - passedMs)));
  }
}
