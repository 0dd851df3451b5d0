// What wakes a sender: the seam between firing and pacing.
import type { RunUs } from "../core/time.ts";

export interface Pacer {
  /**
   * Calls `wake` once, soon after `atUs` and never synchronously. A second call replaces the first
   * or adds to it: callers bear both, and check the clock when they wake.
   */
  wakeAt(atUs: RunUs, wake: () => void): void;
}
