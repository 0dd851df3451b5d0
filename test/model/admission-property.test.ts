// Admission against the slow reference, over random histories.
import fc from "fast-check";
import { expect, it } from "vitest";
import { AdmissionModel } from "../../src/model/admission.ts";
import { AdmissionReference } from "./admission-reference.ts";

const ACCOUNT = { concurrency: 6, unreservedMinimum: 1, scalingBucket: 4, idleKeepUs: 3_000_000 };
const NAMES = ["f", "g"] as const;

interface Real {
  readonly model: AdmissionModel;
  readonly counts: { offered: number; accepted: number; refused: number };
  nowUs: number;
}
type Command = fc.Command<AdmissionReference, Real>;

/** Offers one invocation and compares; an accepted one stays busy, or ends at once. */
class Offer implements Command {
  readonly name: string;
  readonly ends: boolean;
  readonly times: number;

  constructor(name: string, ends: boolean, times: number) {
    this.name = name;
    this.ends = ends;
    this.times = times;
  }

  check(): boolean {
    return true;
  }

  run(reference: AdmissionReference, real: Real): void {
    for (let i = 0; i < this.times; i++) this.#once(reference, real);
  }

  #once(reference: AdmissionReference, { model, counts, nowUs }: Real): void {
    const expected = reference.expected(this.name, nowUs);
    const answer = model.admit(this.name, nowUs);
    expect(answer.ok ? answer.start : answer.reason).toBe(expected);
    counts.offered++;
    if (!answer.ok) {
      counts.refused++;
      return;
    }
    counts.accepted++;
    reference.admitted(this.name, nowUs, answer.environment, answer.start);
    expect(model.concurrency(this.name).account).toBeLessThanOrEqual(ACCOUNT.concurrency);
    if (this.ends) end(reference, model, reference.busy.length - 1, nowUs);
  }

  toString(): string {
    return `offer ${this.times} to ${this.name}${this.ends ? ", each ends at once" : ""}`;
  }
}

function end(
  reference: AdmissionReference,
  model: AdmissionModel,
  index: number,
  nowUs: number,
): void {
  const [ran] = reference.busy.splice(index, 1);
  if (ran === undefined) return;
  model.release(ran.name, ran.environment, nowUs, true);
  reference.idle.push({ name: ran.name, environment: ran.environment, sinceUs: nowUs });
}

const offers = fc
  .tuple(fc.constantFrom(...NAMES), fc.boolean(), fc.constantFrom(1, 2, 25))
  .map(([name, ends, times]) => new Offer(name, ends, times));

const ends = fc.nat(10).map(
  (pick): Command => ({
    check: (reference) => reference.busy.length > 0,
    run: (reference, real) => end(reference, real.model, pick % reference.busy.length, real.nowUs),
    toString: () => `end ${pick}`,
  }),
);

const waits = fc.oneof(fc.nat(5_000), fc.nat(2_000_000), fc.nat(6_000_000)).map(
  (us): Command => ({
    check: () => true,
    run: (_, real) => {
      real.nowUs += us;
    },
    toString: () => `wait ${us} us`,
  }),
);

/** Only as the control plane allows: the minimum stays unreserved, what runs fits. */
const reservations = fc.tuple(fc.constantFrom(...NAMES), fc.option(fc.nat(4), { nil: null })).map(
  ([name, reserved]): Command => ({
    check: (reference) => {
      const others = [...reference.reserved].filter(([other]) => other !== name);
      const left = others.reduce((sum, [, r]) => sum - (r ?? 0), ACCOUNT.concurrency);
      return reference.busy.length === 0 && left - (reserved ?? 0) >= ACCOUNT.unreservedMinimum;
    },
    run: (reference, { model }) => {
      reference.reserved.set(name, reserved);
      model.declare(name, { reserved, provisioned: 0 });
    },
    toString: () => `reserve ${reserved ?? "unset"} for ${name}`,
  }),
);

it("answers as the reference does, and accepted + refused = offered", () => {
  fc.assert(
    fc.property(fc.commands([offers, ends, waits, reservations], { size: "large" }), (commands) => {
      const model = new AdmissionModel(ACCOUNT);
      for (const name of NAMES) model.declare(name, { reserved: null, provisioned: 0 });
      const counts = { offered: 0, accepted: 0, refused: 0 };
      const real: Real = { model, counts, nowUs: 0 };
      fc.modelRun(() => ({ model: new AdmissionReference(ACCOUNT, NAMES), real }), commands);
      expect(counts.accepted + counts.refused).toBe(counts.offered);
    }),
    { numRuns: 300, seed: 7 },
  );
});
