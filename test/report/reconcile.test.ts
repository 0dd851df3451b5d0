// Reconciliation through the files that a run leaves: counts, names, windows, verdicts.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { FaultEvent, RunEvent } from "../../src/core/facts.ts";
import { seededRng } from "../../src/core/rng.ts";
import { ledgerLines } from "../../src/report/reconcile-text.ts";
import { report } from "../../src/report/report.ts";
import { jsonReport } from "../../src/report/result-json.ts";
import { writeDifferences } from "../../src/report/write-differences.ts";
import { type Held, type LedgerRun, type Sent, writeLedgerRun } from "../support/reconciled-run.ts";
import { RESULT_SCHEMA } from "../support/result-schema.ts";
import { temporaryFolder } from "../support/sinks.ts";

const OK = [{}];
const UNKNOWN = [{ outcome: "unknown", reason: "timeout", serviceUs: -1 }] as const;
const sent = (id: string, attempts: Sent["attempts"] = OK, more: Partial<Sent> = {}): Sent => {
  return { id, cell: "north", attempts, ...more };
};
const held = (...ids: string[]): Held[] => ids.map((id) => ({ id, cell: "north" }));
const judged = async (run: LedgerRun) => report(await writeLedgerRun(temporaryFolder(), run));
const sinkOf = async (run: LedgerRun) => (await judged(run)).reconciliation[0]!;

describe("52,000 events with 37 lost and 11 duplicated planted", () => {
  it("are all accounted for, and exactly those ids are named", async () => {
    const rng = seededRng(52);
    const events = Array.from({ length: 52_000 }, (_, i): Sent => {
      const hex = (digits: number) => Math.floor(rng.next() * 16 ** digits).toString(16);
      const id = `${hex(8).padStart(8, "0")}-0000-4000-8000-${i.toString(16).padStart(12, "0")}`;
      return { id, cell: `depot-${i % 40}`, attempts: OK, dueUs: Math.floor((i * 1e7) / 52_000) };
    });
    const drawn = new Set<number>();
    while (drawn.size < 48) drawn.add(Math.floor(rng.next() * events.length));
    const ids = [...drawn].map((i) => events[i]!.id);
    const [lost, duplicated] = [ids.slice(0, 37).sort(), ids.slice(37).sort()];
    const missing = new Set(lost);
    const stored = events
      .filter(({ id }) => !missing.has(id))
      .map(({ id, cell }) => ({ id, cell }));
    for (const id of duplicated) stored.push(stored.find((one) => one.id === id)!);
    const dir = temporaryFolder();
    const accept = ["deliveries.lost == 0", "deliveries.duplicated <= 11"];
    const criteria = { accept, steady: [], stop_when: [] };
    const run = await writeLedgerRun(dir, { sent: events, held: stored, plan: { criteria } });
    const found = await report(run);
    const [sink] = found.reconciliation;
    expect(sink).toMatchObject({
      ...{ state: "quiet", arrivals: 52_000, events: 52_000, acknowledged: 52_000, unsure: 0 },
      ...{ matched: 51_952, lost: 37, duplicated: 11, extra: 11, undecided: 0 },
      ...{ unexpected: 0, misplaced: 0, late: 0, foreign: { rows: 0 } },
    });
    expect(found.criteria.map(({ verdict, reason }) => `${verdict}: ${reason}`)).toEqual([
      "fail: 37, exactly 0 wanted",
      "pass: 11, at most 11 allowed",
    ]);
    await writeDifferences(run, found.reconciliation);
    const file = join(run, "effects/deliveries/differences.ndjson");
    const lines = readFileSync(file, "utf8").trim().split("\n");
    const all = lines.map((line) => JSON.parse(line) as { kind: string; id: string });
    const of = (kind: string) => all.filter((one) => one.kind === kind).map(({ id }) => id);
    expect(of("lost").sort()).toEqual(lost);
    expect(of("duplicated").sort()).toEqual(duplicated);
    expect(all.filter(({ kind }) => kind !== "cell")).toHaveLength(48);
    expect(of("cell")).toHaveLength(sink!.cells.differing.length);
    expect(sink!.named.map(({ id }) => id).sort()).toEqual(ids.sort());
  }, 30_000);
});

describe("an event that was sent", () => {
  it.each<[string, Sent, Held[], string]>([
    ["acknowledged and there once", sent("a"), held("a"), "matched"],
    ["acknowledged and not there", sent("a"), [], "lost"],
    ["acknowledged and there twice", sent("a"), held("a", "a"), "duplicated"],
    ["counted three times in one row", sent("a"), [{ id: "a", count: 3 }], "duplicated"],
    ["acknowledged, its row counted 0 times", sent("a"), [{ id: "a", count: 0 }], "lost"],
    ["of unknown outcome and not there", sent("a", UNKNOWN), [], "undecided"],
    ["of unknown outcome and there", sent("a", UNKNOWN), held("a"), "matched"],
    ["of unknown outcome and there twice", sent("a", UNKNOWN), held("a", "a"), "duplicated"],
    [
      "answered with an error and there",
      sent("a", [{ outcome: "errored", reason: "status" }]),
      held("a"),
      "matched",
    ],
    [
      "answered with an error and not there",
      sent("a", [{ outcome: "errored", reason: "status" }]),
      [],
      "undecided",
    ],
    [
      "never connected and not there",
      sent("a", [{ outcome: "errored", reason: "connect" }]),
      [],
      "lost",
    ],
    [
      "never connected, yet there",
      sent("a", [{ outcome: "errored", reason: "connect" }]),
      held("a"),
      "unexpected",
    ],
    [
      "refused by Lambda until its sender gave up",
      sent("a", [{ outcome: "throttled", refusedBy: "lambda.reserved" }]),
      [],
      "lost",
    ],
    [
      "refused by Lambda, yet there",
      sent("a", [{ outcome: "throttled", refusedBy: "lambda.reserved" }]),
      held("a"),
      "unexpected",
    ],
    [
      "refused by what it depends on",
      sent("a", [{ outcome: "throttled", refusedBy: "dependency" }]),
      [],
      "undecided",
    ],
    ["dropped, yet there", sent("a", []), held("a"), "unexpected"],
    ["dropped and not there", sent("a", []), [], "notSent"],
    [
      "unknown first, then refused",
      sent("a", [...UNKNOWN, { outcome: "throttled", refusedBy: "lambda" }]),
      [],
      "undecided",
    ],
    [
      "unknown first, then acknowledged: stored by both",
      sent("a", [...UNKNOWN, {}]),
      held("a", "a"),
      "duplicated",
    ],
    ["there in another cell", sent("a"), [{ id: "a", cell: "south" }], "misplaced"],
    ["there without a cell", sent("a"), [{ id: "a" }], "matched"],
  ])("%s", async (_, event, rows, kind) => {
    const sink = await sinkOf({ sent: [event], held: rows });
    const { matched, lost, duplicated, undecided, unexpected, misplaced, notSent } = sink;
    const counts = { matched, lost, duplicated, undecided, unexpected, misplaced, notSent };
    expect(Object.entries(counts).filter(([, n]) => n !== 0)).toEqual([[kind, 1]]);
  });

  it("several times is one event, and has to be there once", async () => {
    const sink = await sinkOf({ sent: [sent("a", []), sent("a"), sent("a", UNKNOWN)], held: [] });
    expect(sink).toMatchObject({ arrivals: 3, events: 1, acknowledged: 1, lost: 1 });
    expect(sink.named).toMatchObject([{ id: "a", index: 1 }]);
  });

  it("and others' events do not mix", async () => {
    const sink = await sinkOf({ sent: [sent("a")], held: held("a", "x", "y", "x", "z") });
    expect(sink).toMatchObject({
      ...{ matched: 1, lost: 0, foreign: { rows: 4, examples: ["x", "y", "x"] } },
      cells: { count: 1, differing: [] },
    });
  });
});

const S = 1e6;
const step = (t: number, name: FaultEvent["step"]): RunEvent => {
  return { t, kind: "fault", fault: "zero", step: name, fields: {}, detail: "reserved unset → 0" };
};
const FAULT = {
  events: [
    ...[step(4 * S, "asked"), step(5 * S, "onset"), step(7 * S, "restore-asked")],
    ...[step(7.5 * S, "verified"), step(8 * S, "cleared")],
  ],
  plan: {
    phases: [
      { name: "before", start_us: 0, end_us: 4 * S },
      { name: "after", start_us: 4 * S, end_us: 10 * S },
    ],
    faults: [
      {
        ...{ name: "zero", kind: "reserved-concurrency", during: null, resources: ["arn"] },
        ...{ start_us: 4.6 * S, end_us: 7 * S },
      },
    ],
  },
};
const at = (id: string, seconds: number, attempts: Sent["attempts"] = OK): Sent =>
  sent(id, attempts, { dueUs: seconds * S });

describe("a difference", () => {
  const run: LedgerRun = {
    ...FAULT,
    sent: [at("a", 1), at("b", 4.5), at("c", 6), at("d", 7.2), at("e", 9), at("f", 6, UNKNOWN)],
    held: [...held("a", "d", "d"), { id: "b", cell: "south" }],
  };

  it("falls in the fault during which it was due, or else in its phase", async () => {
    const sink = await sinkOf(run);
    expect(sink.named.map(({ kind, id, window }) => `${kind} ${id} ${window}`)).toEqual([
      "lost c zero",
      "lost e after",
      "duplicated d zero ramp-out",
      "undecided f zero",
      "misplaced b zero ramp-in",
    ]);
    expect(sink.windows).toEqual([
      { window: "zero ramp-in", counts: { misplaced: 1 } },
      { window: "zero", counts: { lost: 1, undecided: 1 } },
      { window: "zero ramp-out", counts: { duplicated: 1 } },
      { window: "after", counts: { lost: 1 } },
    ]);
  });

  it("lies in a stretch of its kind: who was due there, and how many of them differ", async () => {
    const cluster = Array.from({ length: 40 }, (_, i) => at(`e${i}`, i / 4));
    const kept = cluster.filter((_, i) => (i < 12 || i > 15) && i !== 18 && i !== 36);
    const sink = await sinkOf({ ...FAULT, sent: cluster, held: held(...kept.map(({ id }) => id)) });
    expect(sink.stretches).toEqual([
      {
        ...{ kind: "lost", load: "carrier", fromUs: 3 * S, toUs: 4.5 * S },
        ...{ firstIndex: 12, lastIndex: 18, count: 5, of: 7 },
      },
      {
        ...{ kind: "lost", load: "carrier", fromUs: 9 * S, toUs: 9 * S },
        ...{ firstIndex: 36, lastIndex: 36, count: 1, of: 1 },
      },
    ]);
  });

  it("is one of at most eight stretches, however they are scattered", async () => {
    const every = Array.from({ length: 200 }, (_, i) => at(`e${i}`, i * 2));
    const kept = every.filter((_, i) => i % 5 > 0);
    const sink = await sinkOf({ sent: every, held: held(...kept.map(({ id }) => id)) });
    const { stretches } = sink;
    expect(stretches.length).toBeLessThanOrEqual(8);
    expect(stretches.reduce((sum, { count }) => sum + count, 0)).toBe(sink.lost);
  });

  it("shows in its cell", async () => {
    expect((await sinkOf(run)).cells).toEqual({
      count: 2,
      differing: [
        { cell: "north", expected: 5, observed: 3 },
        { cell: "south", expected: 0, observed: 1 },
      ],
    });
  });

  it("is said in the report, by its id", async () => {
    expect(ledgerLines([await sinkOf(run)])).toEqual([
      "  ledger     deliveries: quiet after 10 s; 5 acknowledged + 1 with unknown outcome = 1 found once + ",
      "             2 lost + 1 duplicated + 1 undecided + 1 in a wrong cell",
      "             2 lost (1 due in zero, 1 due in after): c e",
      "             1 duplicated (1 due in zero ramp-out): d",
      "             1 undecided (1 due in zero): f",
      "             1 in a wrong cell (1 due in zero ramp-in): b",
      "             2 of 2 cells differ: north 3 of 5, south 1 of 0",
    ]);
  });

  it("is in result.json, which has the published shape", async () => {
    const result = RESULT_SCHEMA.parse(JSON.parse(jsonReport(await judged(run))));
    expect(result.reconciliation[0]?.named[0]).toEqual({
      ...{ kind: "lost", id: "c", cell: "north", count: 0, found: {} },
      ...{ load: "carrier", index: 2, window: "zero", due_ms: 6_000 },
    });
  });

  it("is judged by window", async () => {
    const accept = [
      "deliveries.lost == 0 during before",
      "deliveries.lost <= 1 during zero",
      "deliveries.undecided < 1 during zero",
      "deliveries.mismatch.rate <= 50%",
      "deliveries.duplicated <= 1 * deliveries.lost",
    ];
    const criteria = { accept, steady: [], stop_when: [] };
    const { criteria: found } = await judged({ ...run, plan: { ...run.plan, criteria } });
    expect(found.map(({ verdict, estimate, n }) => [verdict, estimate, n])).toEqual([
      ["pass", 0, 1],
      ["pass", 1, 2],
      ["fail", 1, 2],
      ["fail", 1, 2],
      ["pass", 1, 6],
    ]);
  });
});

describe("a sink that was not quiet", () => {
  const accept = [
    "deliveries.lost == 0",
    "deliveries.lost <= 1",
    "deliveries.duplicated == 0",
    "deliveries.duplicated <= 5",
    "deliveries.mismatch.rate <= 1%",
  ];
  const criteria = { accept, steady: [], stop_when: [] };
  const run: LedgerRun = {
    sent: [sent("a"), sent("b"), sent("c")],
    held: held("a", "b", "b"),
    plan: { criteria },
  };

  it("decides only what no later row can change", async () => {
    const { criteria: found, verdict } = await judged({ ...run, settle: "stopped" });
    expect(found.map((one) => one.verdict)).toEqual([
      "inconclusive",
      "pass",
      "fail",
      "inconclusive",
      "inconclusive",
    ]);
    expect(found[0]?.reason).toBe(
      "1, exactly 0 wanted: but the run ended before the sink was quiet",
    );
    expect(verdict).toBe("fail");
  });

  it.each([
    ["never", "deliveries was not looked at after the load"],
    ["unread", "deliveries could not be read: sink deliveries: sink.ndjson: ENOENT"],
  ] as const)("and was %s read decides nothing", async (settle, reason) => {
    const found = await judged({ ...run, settle });
    expect(found.criteria.map(({ verdict }) => verdict)).toEqual(accept.map(() => "inconclusive"));
    expect(found.criteria[0]?.reason).toContain(reason);
    expect(found.exitCode).toBe(2);
  });
});
