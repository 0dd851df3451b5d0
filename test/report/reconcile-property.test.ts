// Reconciliation against the plainest one that can be written: lists, and a look at each event.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { KeyTable } from "../../src/core/key-table.ts";
import type { Outcome, Refuser } from "../../src/core/outcome.ts";
import type { Acted } from "../../src/report/arrival-table.ts";
import { type Kind, LedgerBook } from "../../src/report/ledger-book.ts";
import { cellsOf } from "../../src/report/reconcile-cells.ts";
import { report } from "../../src/report/report.ts";
import { type Held, type Sent, writeLedgerRun } from "../support/reconciled-run.ts";
import { temporaryFolder } from "../support/sinks.ts";

interface Plain {
  readonly id: string;
  readonly cell: string;
  readonly acted: Acted;
}

const id = fc.constantFrom(..."abcdefgh");
const cell = fc.constantFrom("north", "south", "east");
const rows = fc.array(
  fc.record(
    { id: fc.constantFrom(..."abcdefghxy"), cell, count: fc.nat(3) },
    { requiredKeys: ["id", "cell", "count"] },
  ),
  { maxLength: 12 },
);

/** One id has one cell: the payload says so, however often it is sent. */
const plan = fc
  .record({
    arrivals: fc.array(fc.record({ id, acted: fc.constantFrom<Acted>(0, 1, 2, 3) }), {
      maxLength: 12,
    }),
    cells: fc.array(cell, { minLength: 8, maxLength: 8 }),
  })
  .map(({ arrivals, cells }) =>
    arrivals.map((one): Plain => ({ ...one, cell: cells["abcdefgh".indexOf(one.id)]! })),
  );

function naiveKinds(sent: readonly Plain[], held: readonly Required<Held>[]) {
  const kinds = new Map<string, Kind>();
  for (const one of new Set(sent.map((arrival) => arrival.id))) {
    const of = sent.filter((arrival) => arrival.id === one);
    const found = held
      .filter((row) => row.id === one)
      .flatMap((row) => Array(row.count).fill(row.cell));
    const [acknowledged, unsure, refused] = [3, 2, 1].map((as) =>
      of.some(({ acted }) => acted === as),
    );
    if (!acknowledged && !unsure && found.length > 0) kinds.set(one, "unexpected");
    else if (!acknowledged && !unsure) kinds.set(one, refused ? "lost" : "not-sent");
    else if (found.length > 1) kinds.set(one, "duplicated");
    else if (found.length === 0) kinds.set(one, acknowledged ? "lost" : "undecided");
    else kinds.set(one, found[0] === of[0]!.cell ? "matched" : "misplaced");
  }
  return kinds;
}

function naiveCells(sent: readonly Plain[], held: readonly Required<Held>[]) {
  const kinds = naiveKinds(sent, held);
  return ["north", "south", "east"].flatMap((name) => {
    const expected = [...kinds].filter(([one, kind]) => {
      const wanted = kind !== "not-sent" && kind !== "unexpected" && kind !== "undecided";
      return wanted && sent.find((arrival) => arrival.id === one)!.cell === name;
    }).length;
    const mine = held.filter((row) => row.cell === name && kinds.has(row.id));
    const observed = mine.reduce((sum, row) => sum + row.count, 0);
    return expected === 0 && observed === 0 ? [] : [{ cell: name, expected, observed }];
  });
}

function bookOf(sent: readonly Plain[], held: readonly Required<Held>[]): LedgerBook {
  const book = new LedgerBook();
  for (const [index, one] of sent.entries()) book.enter({ ...one, load: 0, index, dueUs: index });
  for (const row of held) book.found({ ...row, late: false });
  return book;
}

describe("the book of a ledger", () => {
  it("knows each event as the naive reference does", () => {
    fc.assert(
      fc.property(plan, rows, (sent, held) => {
        const book = bookOf(sent, held);
        const kinds = new Map(
          sent.flatMap((one, index) => {
            const event = book.eventOf(one.id, 0, index);
            return event < 0 ? [] : [[one.id, book.kind(event)] as const];
          }),
        );
        expect(kinds).toEqual(naiveKinds(sent, held));
        expect(book.events).toBe(kinds.size);
      }),
      { numRuns: 2_000 },
    );
  });

  it("adds up each cell as the naive reference does, in any order of rows", () => {
    fc.assert(
      fc.property(plan, rows, (sent, held) => {
        const wanted = naiveCells(sent, held);
        const differing = wanted.filter((row) => row.expected !== row.observed);
        for (const order of [held, held.toReversed()]) {
          const found = cellsOf(bookOf(sent, order), null);
          expect(found.count).toBe(wanted.length);
          expect(new Set(found.differing)).toEqual(new Set(differing));
        }
      }),
      { numRuns: 2_000 },
    );
  });
});

const OUTCOMES: readonly (readonly [Outcome, Refuser, Acted])[] = [
  ["ok", "", 3],
  ["unknown", "", 2],
  ["throttled", "lambda.account", 1],
];

describe("a whole report", () => {
  it("says what the naive reference says", async () => {
    await fc.assert(
      fc.asyncProperty(plan, rows, async (plain, held) => {
        const sent = plain.map((one): Sent => {
          const found = OUTCOMES.find(([, , acted]) => acted === one.acted);
          const attempts = found === undefined ? [] : [{ outcome: found[0], refusedBy: found[1] }];
          return { id: one.id, cell: one.cell, attempts };
        });
        const dir = temporaryFolder();
        const { reconciliation } = await report(await writeLedgerRun(dir, { sent, held }));
        const sink = reconciliation[0]!;
        const kinds = [...naiveKinds(plain, held).values()];
        const count = (kind: Kind) => kinds.filter((one) => one === kind).length;
        expect(sink).toMatchObject({
          ...{ matched: count("matched"), lost: count("lost"), notSent: count("not-sent") },
          ...{ duplicated: count("duplicated"), undecided: count("undecided") },
          ...{ unexpected: count("unexpected"), misplaced: count("misplaced") },
        });
        const { acknowledged, unsure, givenUp } = sink;
        const { matched, lost, duplicated, undecided, misplaced } = sink;
        const sides = matched + lost + duplicated + undecided + misplaced;
        expect(acknowledged + unsure + givenUp).toBe(sides);
      }),
      { numRuns: 25 },
    );
  }, 30_000);
});

describe("the table of keys", () => {
  it("finds what was put in, and counters of text as quickly as random ids", () => {
    const table = new KeyTable();
    const key = (n: number) => Buffer.from(`event-${String(n).padStart(10, "0")}`);
    for (let n = 0; n < 300_000; n++) table.set(key(n), 0, n);
    for (let n = 0; n < 300_000; n += 997) expect(table.get(key(n), 0)).toBe(n);
    expect(table.get(key(300_000), 0)).toBe(-1);
    expect(table.size).toBe(300_000);
  });
});
