// Offers a steady load to the admission model on virtual time and counts what comes of it.
import type { AdmissionModel } from "../../src/model/admission.ts";

export interface Offer {
  readonly name: string;
  readonly perSecond: number;
  readonly serviceMs: number;
  readonly seconds: number;
  readonly startUs?: number;
}

export interface Offered {
  readonly offered: number;
  readonly warm: number;
  readonly cold: number;
  readonly provisioned: number;
  readonly refused: { readonly [reason: string]: number };
  /** The last time that a new environment was made, or anything refused; s from the start. */
  readonly lastColdS: number;
  readonly lastRefusedS: number;
  readonly busyMax: number;
}

/** Evenly spaced arrivals; whatever is admitted is busy for the service time. */
export function offer(model: AdmissionModel, load: Offer): Offered {
  const startUs = load.startUs ?? 0;
  const serviceUs = load.serviceMs * 1_000;
  const ends: { atUs: number; environment: number }[] = []; // equal service times: already in order
  const counts = { warm: 0, new: 0, provisioned: 0 };
  const refused: { [reason: string]: number } = {};
  let [lastColdS, lastRefusedS, busyMax, next] = [0, 0, 0, 0];
  const offered = load.perSecond * load.seconds;
  for (let k = 0; k < offered; k++) {
    const nowUs = startUs + Math.round((k * 1_000_000) / load.perSecond);
    for (; next < ends.length && ends[next]!.atUs <= nowUs; next++)
      model.release(load.name, ends[next]!.environment, ends[next]!.atUs, true);
    const answer = model.admit(load.name, nowUs);
    if (!answer.ok) {
      refused[answer.reason] = (refused[answer.reason] ?? 0) + 1;
      lastRefusedS = (nowUs - startUs) / 1_000_000;
      continue;
    }
    counts[answer.start]++;
    if (answer.start === "new") lastColdS = (nowUs - startUs) / 1_000_000;
    ends.push({ atUs: nowUs + serviceUs, environment: answer.environment });
    busyMax = Math.max(busyMax, ends.length - next);
  }
  for (; next < ends.length; next++)
    model.release(load.name, ends[next]!.environment, ends[next]!.atUs, true);
  const { warm, new: cold, provisioned } = counts;
  return { offered, warm, cold, provisioned, refused, lastColdS, lastRefusedS, busyMax };
}

/** Leaves `count` warm environments behind, with a full scaling bucket at time 0. */
export function warmUp(model: AdmissionModel, name: string, count: number): void {
  const long = -20_000_000;
  const taken = Array.from({ length: count }, () => model.admit(name, long));
  for (const answer of taken) if (answer.ok) model.release(name, answer.environment, -1, true);
}
