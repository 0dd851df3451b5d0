// Parsers for option values; a wrong value is a usage error that names what was given.
import { InvalidArgumentError } from "commander";
import { parseDurationUs } from "../core/units.ts";

interface Bounds {
  readonly above?: number;
  readonly least?: number;
  readonly most?: number;
  readonly whole?: boolean;
}

export function numberOption(bounds: Bounds): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (text.trim() === "" || !Number.isFinite(value))
      throw new InvalidArgumentError("not a number.");
    if (bounds.whole && !Number.isInteger(value))
      throw new InvalidArgumentError("not a whole number.");
    if (bounds.above !== undefined && value <= bounds.above) {
      throw new InvalidArgumentError(`must be above ${bounds.above}.`);
    }
    if (bounds.least !== undefined && value < bounds.least) {
      throw new InvalidArgumentError(`must be at least ${bounds.least}.`);
    }
    if (bounds.most !== undefined && value > bounds.most) {
      throw new InvalidArgumentError(`must be at most ${bounds.most}.`);
    }
    return value;
  };
}

/** Each worker is two threads and some megabytes: more of them than cores gain nothing. */
export const workersOption = numberOption({ least: 1, most: 256, whole: true });

/** `30m` → µs. */
export function durationOption(text: string): number {
  try {
    return parseDurationUs(text);
  } catch {
    throw new InvalidArgumentError("write a time as 30m, 90s or 1h.");
  }
}

/** For an option that may be repeated. */
export const listOption = (text: string, before: readonly string[]): string[] => [...before, text];
