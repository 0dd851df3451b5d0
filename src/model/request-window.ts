// How many requests there were in the last minutes, to the second: what a rate-based rule counts.

const SECOND_MS = 1_000;

export interface RequestWindow {
  /** Adds one, and says how many there are now within the window. */
  add(nowMs: number): number;
}

export function requestWindow(windowS: number): RequestWindow {
  const slots = new Uint32Array(windowS);
  let newest = 0; // second that the newest slot stands for
  let sum = 0;
  return {
    add(nowMs) {
      const second = Math.max(newest, Math.floor(nowMs / SECOND_MS));
      if (second - newest >= windowS) {
        slots.fill(0);
        sum = 0;
        newest = second;
      }
      while (newest < second) {
        newest++;
        sum -= slots[newest % windowS] ?? 0;
        slots[newest % windowS] = 0;
      }
      slots[newest % windowS] = (slots[newest % windowS] ?? 0) + 1;
      return ++sum;
    },
  };
}
