// Sums of cells against the ledger: what is lost, counted too often, or cannot be told.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ACTED, GIVEN_UP, MAYBE, NEVER_SENT } from "../../src/report/arrival-table.ts";
import { LedgerBook } from "../../src/report/ledger-book.ts";
import { sumsOf } from "../../src/report/reconcile-counts.ts";
import { ledgerLines } from "../../src/report/reconcile-text.ts";
import { report } from "../../src/report/report.ts";
import { jsonReport } from "../../src/report/result-json.ts";
import { writeDifferences } from "../../src/report/write-differences.ts";
import { type LedgerRun, type Sent, writeLedgerRun } from "../support/reconciled-run.ts";
import { RESULT_SCHEMA } from "../support/result-schema.ts";
import { temporaryFolder } from "../support/sinks.ts";

type Acted = typeof ACTED | typeof GIVEN_UP | typeof MAYBE | typeof NEVER_SENT;

function bookOf(events: readonly (readonly [cell: string, acted: Acted])[]): LedgerBook {
  const book = new LedgerBook();
  for (const [index, [cell, acted]] of events.entries())
    book.enter({ id: `e-${index}`, cell, load: 0, index, dueUs: 0, acted });
  return book;
}
const times = (count: number, cell: string, acted: Acted = ACTED) =>
  Array.from({ length: count }, () => [cell, acted] as const);
const sums = (events: readonly (readonly [string, Acted])[], held: { [cell: string]: number }) =>
  sumsOf(bookOf(events), new Map(Object.entries(held)));

describe("a cell's sum", () => {
  it.each([
    ["exact", times(5, "a"), { a: 5 }, { matched: 5 }],
    ["short", times(5, "a"), { a: 3 }, { matched: 3, lost: 2 }],
    ["absent", times(5, "a"), {}, { lost: 5 }],
    ["too high", times(5, "a"), { a: 7 }, { matched: 3, duplicated: 2, extra: 2 }],
    ["far too high", times(2, "a"), { a: 7 }, { duplicated: 2, extra: 5 }],
    [
      "one short and one too high by the same",
      [...times(5, "a"), ...times(5, "b")],
      { a: 6, b: 4 },
      { matched: 8, lost: 1, duplicated: 1, extra: 1 },
    ],
    [
      "within what nobody knows",
      [...times(5, "a"), ...times(3, "a", MAYBE)],
      { a: 6 },
      { matched: 6, undecided: 2 },
    ],
    ["without those that were refused", times(2, "a", GIVEN_UP), {}, { lost: 2 }],
    ["without those that were never sent", times(2, "a", NEVER_SENT), {}, {}],
  ])("%s", (_, events, held, wanted) => {
    const { cells, acknowledged, unsure, givenUp, notSent, ...found } = sums(events, held);
    const none = { matched: 0, lost: 0, duplicated: 0, extra: 0, undecided: 0 };
    expect(found).toEqual({ ...none, ...wanted });
    expect(cells.differing.length > 0).toBe(found.lost > 0 || found.extra > 0);
    expect(acknowledged + unsure + givenUp + notSent).toBe(events.length);
  });

  it("may hold an event of unknown outcome in any shard, but in one only", () => {
    const events = [
      ...times(5, "shardId-0/m/a"),
      ...times(5, "shardId-1/m/a"),
      ...times(2, "?/m/a", MAYBE),
      ...times(1, "?/m/b", MAYBE),
    ];
    const held = { "shardId-0/m/a": 6, "shardId-1/m/a": 7 };
    expect(sums(events, held)).toMatchObject({
      ...{ matched: 11, lost: 0, duplicated: 1, extra: 1, undecided: 1 },
      cells: {
        count: 2,
        differing: [{ cell: "shardId-1/m/a", observed: 7, expected: 6 }],
      },
    });
  });

  it("accounts for every event, whatever was sent and held", () => {
    const cell = fc.constantFrom("s-0/a", "s-1/a", "s-0/b", "?/a");
    const event = fc.tuple(cell, fc.constantFrom<Acted>(ACTED, GIVEN_UP, MAYBE, NEVER_SENT));
    const held = fc.dictionary(fc.constantFrom("s-0/a", "s-1/a", "s-0/b"), fc.nat({ max: 12 }));
    fc.assert(
      fc.property(fc.array(event, { maxLength: 30 }), held, (events, found) => {
        const { acknowledged, unsure, givenUp, ...rest } = sums(events, found);
        const { matched, lost, duplicated, undecided, extra } = rest;
        expect(acknowledged + unsure + givenUp).toBe(matched + lost + duplicated + undecided);
        const ours = Object.entries(found).filter(([one]) =>
          events.some(([its, acted]) => its === one && acted !== NEVER_SENT),
        );
        const observed = ours.reduce((sum, [, count]) => sum + count, 0);
        expect(matched + duplicated + extra).toBe(observed);
      }),
    );
  });
});

const OK = [{}];
const sent = (id: string, cell: string, attempts: Sent["attempts"] = OK): Sent => ({
  ...{ id, cell, attempts },
});
const judged = async (run: LedgerRun, accept: string[]) => {
  const criteria = { accept, steady: [], stop_when: [] };
  const dir = await writeLedgerRun(temporaryFolder(), { ...run, sums: true, plan: { criteria } });
  return report(join(dir));
};

it("is judged, printed and written as JSON; a window cannot be told", async () => {
  const run = {
    sent: [sent("a", "north"), sent("b", "north"), sent("c", "south")],
    held: [
      { id: "", cell: "north", count: 3 },
      { id: "", cell: "elsewhere", count: 4 },
    ],
  };
  const criteria = [
    ...["deliveries.lost == 0", "deliveries.duplicated <= 1", "deliveries.mismatch.rate <= 50%"],
    "deliveries.lost == 0 during before",
  ];
  const found = await judged(run, criteria);
  expect(found.criteria.map(({ verdict, reason }) => `${verdict}: ${reason}`)).toEqual([
    "fail: 1, exactly 0 wanted",
    "pass: 1, at most 1 allowed",
    expect.stringMatching(/^fail: 100/),
    "inconclusive: sums of cells do not tell when their events were due",
  ]);
  const [sink] = found.reconciliation;
  expect(sink).toMatchObject({ counted: true, foreign: { rows: 1, examples: ["elsewhere"] } });
  const text = ledgerLines(found.reconciliation).join(" ").replace(/\s+/g, " ");
  expect(text).toContain("3 acknowledged = 1 counted once + 1 lost + 1 duplicated");
  expect(text).toContain("1 counted too often (+33.33 %), 1 missing (−33.33 %)");
  expect(text).toContain("2 of 2 cells differ: north 3 of 2, south 0 of 1");
  const json = JSON.parse(jsonReport(found)) as unknown;
  expect(RESULT_SCHEMA.safeParse(json).error).toBeUndefined();
  await writeDifferences(found.dir, found.reconciliation);
  const file = join(found.dir, "effects/deliveries/differences.ndjson");
  expect(
    readFileSync(file, "utf8")
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line)),
  ).toEqual([
    { kind: "cell", cell: "north", expected: 2, observed: 3, difference: 1 },
    { kind: "cell", cell: "south", expected: 1, observed: 0, difference: -1 },
  ]);
});
