// A closed loop has no plan to be held against: its facts are whole when no index is missing.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { parseCriterion } from "../../src/core/parse-criterion.ts";
import { prospectsOf } from "../../src/report/prospects.ts";
import { report } from "../../src/report/report.ts";
import {
  type AttemptSpec,
  planFor,
  plannedLoad,
  quietEvents,
  writeRun,
} from "../support/run-directory.ts";

const dir = mkdtempSync(join(tmpdir(), "gatecrash-closed-"));
afterAll(() => rmSync(dir, { recursive: true }));

const LOAD = { ...plannedLoad({ name: "ceiling" }), closed: { connections: 4 } };

/** 400 arrivals of two workers, the second of which came less far; without those of `lost`. */
function attempts(lost: readonly number[]): AttemptSpec[] {
  const all = Array.from({ length: 400 }, (_, index) => ({ index, dueUs: index * 20_000 }));
  return all.filter(({ index }) => (index % 2 === 0 || index < 300) && !lost.includes(index));
}

async function judged(lost: readonly number[], recorded = attempts(lost).length) {
  const rows = attempts(lost);
  const plan = { ...planFor({ loads: [LOAD] }, []), loads: [LOAD], workers: 2 };
  writeRun(dir, { plan, events: quietEvents(10, recorded), attempts: rows });
  return await report(dir);
}

describe("the balance of a closed loop", () => {
  test("holds when each worker's indexes have no gap, however far each came", async () => {
    const { balance, counts, invalid } = await judged([]);
    expect(balance).toEqual({ holds: true, problems: [] });
    expect(counts).toMatchObject({ planned: 350, sent: 350, dropped: 0, ok: 350 });
    expect(invalid).toEqual([]);
  });

  test("is broken by one lost arrival, also when no row was ever counted", async () => {
    const { verdict, balance } = await judged([101]);
    expect(verdict).toBe("invalid");
    expect(balance.problems).toEqual(["ceiling: 1 arrivals of the closed loop are missing"]);
  });

  test("is broken at the end by the rows that were handed on and are not stored", async () => {
    const { balance } = await judged([398], attempts([]).length);
    expect(balance.problems).toEqual(["350 attempts were recorded, 349 are stored"]);
  });

  test("is no closed loop's where a load planned arrivals and none was sent", async () => {
    const plan = planFor({ loads: [{ ...plannedLoad({ name: "open" }), planned: 3 }] }, []);
    const loads = [{ ...plan.loads[0]!, planned: 3, planned_per_s: [3] }];
    writeRun(dir, { plan: { ...plan, loads }, events: quietEvents(10, 0), attempts: [] });
    expect((await report(dir)).balance.problems).toEqual(["open: 3 planned, 0 accounted for"]);
  });
});

test("what a closed loop will send is not foreseen, so no criterion on it is hopeless", () => {
  const open = plannedLoad({ name: "open", planned: 10, planned_per_s: [10] });
  const plan = { phases: [], loads: [LOAD, open], faults: [], arms: [""], functions: {} };
  const foreseen = { plan, perRoute: [[[]], [[10]]], onsetUs: {}, coldStarts: null, endUs: 1e7 };
  const texts = ["ceiling.p99 <= 1s", "ceiling.count >= 1000", "open.p99 <= 1s", "p99 <= 1s"];
  const prospects = prospectsOf(
    foreseen,
    texts.map((text) => parseCriterion(text)),
  );
  expect(prospects.map(({ decidable }) => decidable)).toEqual(["open", "yes", "no", "open"]);
});
