// Counts what was accepted within the last second, to the millisecond.

const SLOTS = 1_000;
const SLOT_US = 1_000;

/** What was accepted in the last 1,000 ms; whoever asks compares it with the limit in force. */
export interface RateWindow {
  /** Accepted in the last second, the current millisecond included. */
  count(nowUs: number): number;
  accept(nowUs: number): void;
}

export function rateWindow(): RateWindow {
  const slots = new Uint32Array(SLOTS);
  let head = 0; // millisecond that the newest slot stands for
  let sum = 0;
  const advance = (nowUs: number): void => {
    const now = Math.floor(nowUs / SLOT_US);
    if (now - head >= SLOTS) {
      slots.fill(0);
      sum = 0;
      head = now;
    }
    while (head < now) {
      head++;
      sum -= slots[head % SLOTS] ?? 0;
      slots[head % SLOTS] = 0;
    }
  };
  return {
    count(nowUs) {
      advance(nowUs);
      return sum;
    },
    accept(nowUs) {
      advance(nowUs);
      slots[head % SLOTS] = (slots[head % SLOTS] ?? 0) + 1;
      sum++;
    },
  };
}
