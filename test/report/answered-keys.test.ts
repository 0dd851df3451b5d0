// Ids of answers, told once each, up to a moment of the run and whatever the segments' names.
import { mkdtempSync, renameSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { requestKey, requestKeyText } from "../../src/core/ids.ts";
import { answeredKeys } from "../../src/report/answered-keys.ts";
import { planFor, plannedLoad, quietEvents, writeRun } from "../support/run-directory.ts";

const dir = mkdtempSync(join(tmpdir(), "gatecrash-keys-"));
afterAll(() => rmSync(dir, { recursive: true, force: true }));

const S = 1_000_000;
const id = (n: number): string => `5d1c7a52-0d8e-4c0a-9a51-${String(n).padStart(12, "0")}`;
const numberOf = new Map(
  Array.from({ length: 200 }, (_, n) => [requestKeyText(requestKey(id(n))), n]),
);
const numbers = (keys: readonly string[]): number[] => {
  return keys.map((key) => numberOf.get(key) ?? -1).sort((a, b) => a - b);
};
const range = (from: number, to: number): number[] =>
  Array.from({ length: to - from }, (_, i) => from + i);

test("comes minute by minute from the segments of every worker", async () => {
  // Ten a second, answered after 20 ms; every tenth was refused, and has an id all the same.
  const attempts = Array.from({ length: 130 }, (_, index) => ({
    ...{ index, dueUs: index * 100_000, lagUs: 0, requestId: id(index) },
    ...(index % 10 === 9 ? { outcome: "throttled" as const } : {}),
  }));
  const plan = planFor({ loads: [plannedLoad({ name: "shopper" })] }, attempts);
  writeRun(dir, { plan, attempts, events: quietEvents(13, 130), segmentRows: 10 });
  // Segments 0 to 12: the even ones were another worker's. 10 sorts before 2 by name.
  for (let seq = 0; seq < 13; seq += 2)
    renameSync(join(dir, `attempts/0-0-${seq}.parquet`), join(dir, `attempts/0-1-${seq}.parquet`));
  const keys = await answeredKeys(dir, (_, outcome) => outcome === "ok");
  const good = (from: number, to: number) => range(from, to).filter((n) => n % 10 !== 9);
  expect(numbers(await keys.until(0))).toEqual([]);
  expect(numbers(await keys.until(5.55 * S))).toEqual(good(0, 56));
  expect(numbers(await keys.until(5.55 * S))).toEqual([]);
  expect(numbers(await keys.until(Number.POSITIVE_INFINITY))).toEqual(good(56, 130));
  expect(numbers(await keys.until(Number.POSITIVE_INFINITY))).toEqual([]);
});

test("asks which loads and outcomes are wanted; attempts without an id are none", async () => {
  const attempts = [
    { index: 0, dueUs: 0, requestId: id(0) },
    { index: 0, load: 1, dueUs: 0, requestId: id(1) },
    { index: 1, dueUs: 1_000 },
    { index: 2, dueUs: 2_000, requestId: id(2), outcome: "errored" as const },
  ];
  const loads = [plannedLoad({ name: "a" }), plannedLoad({ name: "b" })];
  writeRun(dir, { plan: planFor({ loads }, attempts), attempts, events: quietEvents(1, 4) });
  const asked = async (isWanted: (load: number, outcome: string) => boolean) =>
    numbers(await (await answeredKeys(dir, isWanted)).until(S));
  expect(await asked(() => true)).toEqual([0, 1, 2]);
  expect(await asked((load) => load === 1)).toEqual([1]);
  expect(await asked((_, outcome) => outcome === "errored")).toEqual([2]);
});
