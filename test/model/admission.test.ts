// Admission against closed forms: the published limits, worked through by hand.
import { describe, expect, it } from "vitest";
import { AdmissionModel, SOLE_HOLDER } from "../../src/model/admission.ts";
import type { AccountLimits, FunctionLimits } from "../../src/model/limits.ts";
import { offer, warmUp } from "./offer.ts";

const account = (concurrency: number): AccountLimits => ({
  concurrency,
  unreservedMinimum: 100,
  scalingBucket: 1_000,
  idleKeepUs: 300_000_000,
});
const UNSET: FunctionLimits = { reserved: null, provisioned: 0 };

function modelWith(concurrency: number, functions: { [name: string]: FunctionLimits }) {
  const model = new AdmissionModel(account(concurrency));
  for (const [name, limits] of Object.entries(functions)) model.declare(name, limits);
  return model;
}

const reasonOf = (model: AdmissionModel, name: string, nowUs = 0, provisioned = false): string => {
  const answer = model.admit(name, nowUs, provisioned ? { holder: SOLE_HOLDER } : {});
  return answer.ok ? answer.start : answer.reason;
};

describe("a burst of a 120 ms function with 12 warm environments", () => {
  it.each([
    { perSecond: 100, quota: 1_000, needed: 12, cold: 0 },
    { perSecond: 5_000, quota: 1_000, needed: 600, cold: 588 },
  ])("needs $needed environments at $perSecond/s", ({ perSecond, quota, needed, cold }) => {
    const model = modelWith(quota, { f: UNSET });
    warmUp(model, "f", 12);
    const seen = offer(model, { name: "f", perSecond, serviceMs: 120, seconds: 2 });
    expect([seen.busyMax, seen.cold, seen.refused]).toEqual([needed, cold, {}]);
  });

  it("is short of 800 environments at 15,000/s and a quota of 1,000: 44 % are refused", () => {
    const model = modelWith(1_000, { f: UNSET });
    warmUp(model, "f", 12);
    const seen = offer(model, { name: "f", perSecond: 15_000, serviceMs: 120, seconds: 6 });
    expect([seen.busyMax, seen.cold]).toEqual([1_000, 988]);
    expect(Object.keys(seen.refused)).toEqual(["ConcurrentInvocationLimitExceeded"]);
    const share = (seen.refused.ConcurrentInvocationLimitExceeded ?? 0) / seen.offered;
    expect(share).toBeCloseTo(800 / 1_800, 2);
  });

  it("takes 7.9 s to grow beyond the first 1,000 at a quota of 3,000, then refuses nothing", () => {
    const model = modelWith(3_000, { f: UNSET });
    warmUp(model, "f", 12);
    const seen = offer(model, { name: "f", perSecond: 15_000, serviceMs: 120, seconds: 12 });
    expect([seen.busyMax, seen.cold]).toEqual([1_800, 1_788]);
    expect(Object.keys(seen.refused)).toEqual(["FunctionInvocationRateLimitExceeded"]);
    expect(seen.lastColdS).toBeCloseTo(7.9, 1);
    expect(seen.lastRefusedS).toBeLessThanOrEqual(seen.lastColdS);
  });
});

describe("the request rate", () => {
  it("passes ten times the quota a second, however short the handler", () => {
    const model = modelWith(1_000, { f: UNSET });
    const seen = offer(model, { name: "f", perSecond: 30_000, serviceMs: 20, seconds: 3 });
    expect(seen.busyMax).toBe(600);
    expect(seen.refused).toEqual({ FunctionInvocationRateLimitExceeded: 60_000 });
  });

  it("passes ten times the reservation a second for a reserved function", () => {
    const model = modelWith(1_000, { f: { reserved: 50, provisioned: 0 } });
    const seen = offer(model, { name: "f", perSecond: 1_000, serviceMs: 5, seconds: 4 });
    expect(seen.refused).toEqual({ ReservedFunctionInvocationRateLimitExceeded: 2_000 });
  });
});

describe("reservations", () => {
  it("admit what they reserve and refuse the rest, also when the account is idle", () => {
    const model = modelWith(1_000, { f: { reserved: 2, provisioned: 0 } });
    expect([1, 2, 3].map(() => reasonOf(model, "f"))).toEqual([
      "new",
      "new",
      "ReservedFunctionConcurrentInvocationLimitExceeded",
    ]);
  });

  it("of zero refuse everything, and unset is not zero", () => {
    const model = modelWith(1_000, { f: { reserved: 0, provisioned: 0 }, g: UNSET });
    expect(reasonOf(model, "f")).toBe("ReservedFunctionConcurrentInvocationLimitExceeded");
    model.declare("f", UNSET);
    expect(reasonOf(model, "f")).toBe("new");
  });

  it("keep their share free while others exhaust the pool", () => {
    const model = modelWith(200, { shop: { reserved: 50, provisioned: 0 }, noisy: UNSET });
    const seen = Array.from({ length: 160 }, () => reasonOf(model, "noisy"));
    expect(seen.filter((reason) => reason === "new").length).toBe(150);
    expect(seen.at(-1)).toBe("ConcurrentInvocationLimitExceeded");
    expect(reasonOf(model, "shop")).toBe("new");
    expect(model.concurrency("noisy")).toEqual({
      function: 150,
      account: 151,
      unreserved: 150,
      claimed: 200,
    });
  });

  it("put while invocations run take them out of the shared pool, and give them back", () => {
    const model = modelWith(110, { f: UNSET, g: UNSET });
    for (let i = 0; i < 10; i++) reasonOf(model, "f");
    model.declare("f", { reserved: 10, provisioned: 0 });
    expect(model.concurrency("f")).toMatchObject({ function: 10, unreserved: 0 });
    model.declare("f", UNSET);
    expect(model.concurrency("f")).toMatchObject({ function: 10, unreserved: 10 });
  });
});

describe("provisioned concurrency", () => {
  it.each([1, 2])("of all %i reserved leaves $LATEST no room although nothing runs", (n) => {
    const model = modelWith(1_000, { f: { reserved: n, provisioned: n } });
    expect(reasonOf(model, "f")).toBe("ReservedFunctionConcurrentInvocationLimitExceeded");
    expect(reasonOf(model, "f", 0, true)).toBe("provisioned");
  });

  it("of 400 in a reservation of 800: 675 at once are 400 provisioned and 275 cold", () => {
    const model = modelWith(3_000, { f: { reserved: 800, provisioned: 400 } });
    const seen = Array.from({ length: 850 }, () => reasonOf(model, "f", 0, true));
    const first = seen.slice(0, 675);
    const count = (reason: string, of = seen) => of.filter((r) => r === reason).length;
    expect([count("provisioned", first), count("new", first)]).toEqual([400, 275]);
    expect(count("ReservedFunctionConcurrentInvocationLimitExceeded")).toBe(50);
  });

  it("without a reservation comes out of the shared pool", () => {
    const model = modelWith(1_000, { f: { reserved: null, provisioned: 300 }, g: UNSET });
    expect(model.unreservedPool()).toBe(700);
    expect(model.concurrency("g")).toMatchObject({ claimed: 300 });
  });
});

describe("provisioned environments", () => {
  const started = (wanted: number, ready: number): AdmissionModel => {
    const model = modelWith(1_000, { f: UNSET });
    model.provision("f", "live", wanted);
    for (let i = 0; i < ready; i++) model.ready("f", "live");
    return model;
  };
  const take = (model: AdmissionModel) => model.admit("f", 0, { version: "1", holder: "live" });

  it("serve as they become ready, and take their room from the start", () => {
    const model = started(2, 1);
    expect(model.unreservedPool()).toBe(998);
    expect([take(model), take(model)]).toMatchObject([{ start: "provisioned" }, { start: "new" }]);
    expect([model.ready("f", "live"), model.ready("f", "live")]).toEqual([
      expect.any(Number),
      null,
    ]);
  });

  it("are gone when fewer are wanted: free ones now, busy ones when they finish", () => {
    const model = started(3, 3);
    const busy = take(model);
    expect(model.provision("f", "live", 0).length).toBe(2);
    expect(busy.ok && model.release("f", busy.environment, 1, true)).toBe(false);
    expect(model.provisionedOf("f", "live")).toEqual({ ready: 0, busy: 0 });
    expect(model.concurrency("f")).toMatchObject({ function: 0, unreserved: 0, claimed: 0 });
  });

  it("that are recycled or lost must be made ready again", () => {
    const model = started(2, 2);
    const [a, b] = [take(model), take(model)];
    expect(a.ok && model.release("f", a.environment, 1, false)).toBe(false);
    expect(model.recycleProvisioned("f", "live")).toEqual([]);
    expect(b.ok && model.release("f", b.environment, 1, true)).toBe(false);
    expect(model.provisionedOf("f", "live")).toEqual({ ready: 0, busy: 0 });
    expect(model.ready("f", "live")).not.toBeNull();
  });
});

describe("versions", () => {
  it("have idle environments of their own, and are recycled alone", () => {
    const model = modelWith(1_000, { f: UNSET });
    const start = (version: string): string => {
      const answer = model.admit("f", 0, { version });
      if (!answer.ok) return answer.reason;
      model.release("f", answer.environment, 0, true);
      return answer.start;
    };
    expect([start("1"), start("2"), start("1"), start("2")]).toEqual([
      "new",
      "new",
      "warm",
      "warm",
    ]);
    expect(model.recycle("f", "1").length).toBe(1);
    expect([start("1"), start("2")]).toEqual(["new", "warm"]);
  });
});

describe("execution environments", () => {
  it("are reused newest first, and gone after being idle for too long", () => {
    const model = modelWith(1_000, { f: UNSET });
    const [a, b] = [model.admit("f", 0), model.admit("f", 0)];
    if (!a.ok || !b.ok) throw new Error("refused");
    model.release("f", a.environment, 10, true);
    model.release("f", b.environment, 20, true);
    expect(model.admit("f", 30)).toEqual({ ok: true, environment: b.environment, start: "warm" });
    expect(reasonOf(model, "f", 10 + 300_000_000)).toBe("new");
    expect(model.expire(10 + 300_000_000)).toEqual([{ name: "f", environment: a.environment }]);
  });

  it("do not come back after a crash, and not after they were recycled in use", () => {
    const model = modelWith(1_000, { f: UNSET });
    const crashed = model.admit("f", 0);
    if (crashed.ok) model.release("f", crashed.environment, 1, false);
    const used = model.admit("f", 2);
    expect(used).toMatchObject({ start: "new" });
    model.recycle("f");
    if (used.ok) model.release("f", used.environment, 3, true);
    expect(reasonOf(model, "f", 4)).toBe("new");
  });
});
