// What a counted measure comes to, and whether a moment belongs to its window.
import type { Window } from "../core/window.ts";

export interface CensusValue {
  /** null = no data. */
  readonly value: number | null;
  readonly n: number;
  /** What is missing, or what was taken off; "" = nothing to say. */
  readonly note: string;
}

/** No window is the whole run. */
export const inside = (atUs: number, window: Window | null): boolean =>
  window === null || (atUs >= window.startUs && atUs < window.endUs);
