// `--set`: what would be if the quota, the rate or the service time were another.
import { GatecrashError } from "../core/error.ts";
import { didYouMean } from "../core/nearest.ts";
import type { DriverSpec, Scenario } from "../core/scenario.ts";
import { parseDurationUs, parseRatePerSecond } from "../core/units.ts";

export interface WhatIf {
  readonly quota: number | null;
  readonly ratePerSecond: number | null;
  readonly serviceMs: number | null;
  readonly initMs: number | null;
}

export const NO_WHAT_IF: WhatIf = {
  ...{ quota: null, ratePerSecond: null, serviceMs: null, initMs: null },
};

const READERS: { readonly [key: string]: (text: string) => Partial<WhatIf> } = {
  quota: (text) => ({ quota: wholeNumber(text) }),
  rate: (text) => ({ ratePerSecond: parseRatePerSecond(text) }),
  service: (text) => ({ serviceMs: parseDurationUs(text) / 1_000 }),
  init: (text) => ({ initMs: parseDurationUs(text) / 1_000 }),
};

/** Adds one `key=value`. Throws `usage` for an unknown key or a value without its unit. */
export function addWhatIf(text: string, before: WhatIf): WhatIf {
  const [, key = "", value = ""] = /^([^=]+)=(.+)$/.exec(text) ?? [];
  const read = Object.hasOwn(READERS, key) ? READERS[key] : undefined;
  const usage = (problem: string, hint: string | undefined): GatecrashError =>
    new GatecrashError("usage", `--set ${text}: ${problem}`, hint === undefined ? {} : { hint });
  if (read === undefined) {
    const hint = didYouMean(key === "" ? text : key, Object.keys(READERS));
    throw usage("is not known", hint ?? "write quota=3000, rate=40/s, service=120ms or init=400ms");
  }
  try {
    return { ...before, ...read(value) };
  } catch (error) {
    if (!(error instanceof GatecrashError)) throw error;
    throw usage(error.message, error.hint);
  }
}

function wholeNumber(text: string): number {
  const value = Number(text);
  if (Number.isInteger(value) && value > 0) return value;
  throw new GatecrashError("usage", `\`${text}\` is no whole number above 0`);
}

/**
 * The scenario with its rates multiplied so that the highest one is this. A replay keeps its own
 * times. Throws `usage` when no load has a rate.
 */
export function withRate(scenario: Scenario, perSecond: number | null): Scenario {
  if (perSecond === null) return scenario;
  if (!scenario.loads.some(({ driver }) => driver.kind === "rate")) {
    throw new GatecrashError("usage", "--set rate: no load of this scenario has a rate", {
      hint: "a replay is made faster by its speed:, and larger by its amplify:",
    });
  }
  const loads = scenario.loads.map((load) => {
    return { ...load, driver: rescaled(load.driver, perSecond) };
  });
  // A question about more than the limits allow is asked to see what it would take.
  return { ...scenario, loads, limits: { ...scenario.limits, requests: Number.MAX_SAFE_INTEGER } };
}

function rescaled(driver: DriverSpec, perSecond: number): DriverSpec {
  if (driver.kind !== "rate") return driver;
  const rates = driver.steps.flatMap((step) => [step.fromPerSecond, step.toPerSecond]);
  const factor = perSecond / Math.max(...rates);
  const steps = driver.steps.map(({ fromPerSecond, toPerSecond, overUs }) => {
    return { fromPerSecond: fromPerSecond * factor, toPerSecond: toPerSecond * factor, overUs };
  });
  return { ...driver, steps };
}
