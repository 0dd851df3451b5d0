// Judging again: millions of recorded attempts against DuckDB for the same answer, and the gate's
// error rates.
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { builtFile } from "../src/core/built-file.ts";
import { type PlanFile, SEGMENT_ROWS } from "../src/core/facts.ts";
import { seededRng } from "../src/core/rng.ts";
import { report } from "../src/report/report.ts";
import { segmentBytes, segmentOver } from "../src/run/segment.ts";
import { encodeSegment } from "../src/run/segment-parquet.ts";
import { benchGate } from "./gate.ts";

const ROUNDS = 3;
const PER_SECOND = 5_000;
const SIZES = [1_000_000, 10_000_000];

/** What both are asked: the same figures, so that a wrong answer shows. */
interface Answer {
  readonly ok: number;
  readonly throttled: number;
  readonly p50Us: number;
  readonly p99Us: number;
  readonly slow: number;
  readonly worstSecond: number;
}

interface Measured {
  readonly answer: Answer;
  readonly seconds: number;
  readonly rssMb: number;
}

/** Prints time and memory of judging 1 and 10 million attempts, then the gate's error rates. */
export async function benchJudge(): Promise<void> {
  for (const rows of SIZES) {
    const dir = mkdtempSync(join(tmpdir(), "gatecrash-judge-"));
    try {
      writeFacts(dir, rows);
      compare(dir, rows);
    } finally {
      rmSync(dir, { recursive: true, force: true });
    }
  }
  benchGate();
}

function compare(dir: string, rows: number): void {
  const runs: { [who: string]: Measured[] } = { gatecrash: [], "duckdb last": [], duckdb: [] };
  for (let round = 0; round < ROUNDS; round++)
    for (const who of Object.keys(runs)) runs[who]!.push(inChild(who, dir));
  const median = (who: string, of: "seconds" | "rssMb") =>
    runs[who]!.map((one) => one[of]).sort((a, b) => a - b)[ROUNDS >> 1]!;
  const answers = Object.values(runs).map(([one]) => JSON.stringify(one!.answer));
  console.log(`judging ${rows.toLocaleString("en")} attempts (median of ${ROUNDS}):`);
  for (const who of Object.keys(runs)) {
    const ratio = median("gatecrash", "seconds") / median(who, "seconds");
    const figures = `${median(who, "seconds").toFixed(2)} s, ${median(who, "rssMb").toFixed(0)} MB`;
    console.log(`  ${NAMES[who]}: ${figures}; gatecrash takes ${ratio.toFixed(2)} × that`);
  }
  const same = answers.every((answer) => answer === answers[0]);
  console.log(`  ${same ? "all give the same answer" : `ANSWERS DIFFER: ${answers.join(" ")}`}`);
}

const NAMES: { readonly [who: string]: string } = {
  gatecrash: "gatecrash, the whole report",
  "duckdb last": "DuckDB, last attempt of each arrival",
  duckdb: "DuckDB, if every arrival had one attempt",
};

function inChild(who: string, dir: string): Measured {
  const script = fileURLToPath(builtFile("./judge.js", import.meta.url));
  const out = execFileSync(process.execPath, [script, who, dir], { encoding: "utf8" });
  return JSON.parse(out) as Measured;
}

function writeFacts(dir: string, rows: number): void {
  mkdirSync(join(dir, "attempts"), { recursive: true });
  mkdirSync(join(dir, "events"));
  const rng = seededRng(5);
  const segment = segmentOver(new ArrayBuffer(segmentBytes(SEGMENT_ROWS)), SEGMENT_ROWS);
  const { ints } = segment;
  for (let start = 0, seq = 0; start < rows; start += SEGMENT_ROWS, seq++) {
    segment.rows = Math.min(SEGMENT_ROWS, rows - start);
    segment.baseUs = Math.floor((start * 1e6) / PER_SECOND);
    for (let i = 0; i < segment.rows; i++) {
      const index = start + i;
      const throttled = index % 100 === 7;
      ints.index[i] = index;
      ints.attempt[i] = 1;
      ints.items[i] = 1;
      ints.due_d[i] = Math.floor((index * 1e6) / PER_SECOND) - segment.baseUs;
      ints.sent_d[i] = Math.floor(rng.next() * 200);
      ints.first_d[i] = throttled
        ? 3_000
        : 15_000 + Math.floor(20_000 * rng.next() ** 3) + (rng.next() < 0.005 ? 300_000 : 0);
      ints.done_d[i] = Math.floor(rng.next() * 60);
      ints.outcome[i] = throttled ? 1 : 0;
      ints.refused_by[i] = throttled ? 4 : 0;
      ints.status[i] = throttled ? 429 : 200;
    }
    writeFileSync(join(dir, "attempts", `0-0-${seq}.parquet`), encodeSegment(segment));
  }
  const endUs = Math.ceil(rows / PER_SECOND) * 1e6;
  writeFileSync(
    join(dir, "events", "0.jsonl"),
    `{"t":0,"kind":"start","pid":1}\n{"t":${endUs},"kind":"end","rows":[${rows}]}\n`,
  );
  writeFileSync(join(dir, "plan.json"), JSON.stringify(planOf(rows, endUs)));
}

function planOf(rows: number, endUs: number): PlanFile {
  const perSecond = new Array<number>(Math.ceil(rows / PER_SECOND)).fill(PER_SECOND);
  perSecond[perSecond.length - 1] = rows - PER_SECOND * (perSecond.length - 1);
  return {
    gatecrash: 1,
    run: "bench",
    title: "How fast is judging?",
    scenario: {
      ...{ file: "bench", variant: null, environment: "local" },
      ...{ blob: "", commit: null, dirty: null },
    },
    ...{ command: [], version: "0", seed: 1, epoch_ms: 0, slices: 1, workers: 1 },
    phases: [{ name: "all", start_us: 0, end_us: endUs }],
    loads: [
      {
        ...{ name: "shopper", routes: [""], planned: rows, planned_per_s: perSecond },
        ...{ start_us: 0, end_us: endUs, in_flight_max: 1_000, timeout_us: 3_000_000 },
        resend_attempts: 1,
      },
    ],
    ...{ arms: [""], faults: [], functions: {} },
    criteria: {
      accept: ["p99 <= 300ms", "p50 <= 50ms", "errors.rate <= 2%", "dropped == 0"],
      ...{ steady: [], stop_when: [] },
    },
    generator: { lag_p99_us: 20_000, dropped: 0, cpu: 0.9 },
    ...{ joins: false, quota: { concurrency: null }, expect: "pass", notes: [] },
  };
}

async function byGatecrash(dir: string): Promise<Answer> {
  const { counts, latencies, criteria, balance, plan } = await report(dir);
  const all = latencies.find((row) => row.start === "all")!;
  return {
    ok: counts.ok,
    throttled: counts.throttled,
    p50Us: all.p50,
    p99Us: all.p99,
    slow: criteria[0]!.beyond!.count,
    // The balance compared every second with the plan: where it holds, the plan's is the answer.
    worstSecond: balance.holds ? Math.max(...plan.loads[0]!.planned_per_s) : -1,
  };
}

const PLAIN = `SELECT due_d + base AS due, outcome,
  ready_d + sent_d + first_d + done_d AS response FROM rows`;
const LAST = `SELECT due, outcome, response FROM (SELECT load, arm, index,
  max_by(due_d + base, attempt) AS due, max_by(outcome, attempt) AS outcome,
  max_by(ready_d + sent_d + first_d + done_d, attempt) AS response
  FROM rows GROUP BY load, arm, index)`;

async function byDuckDb(dir: string, arrivals: string): Promise<Answer> {
  const { DuckDBInstance } = await import("@duckdb/node-api");
  const connection = await (await DuckDBInstance.create(":memory:")).connect();
  const files = join(dir, "attempts", "*.parquet");
  const reader = await connection.runAndReadAll(`
    WITH rows AS (SELECT * FROM read_parquet('${files}')), arrivals AS (${arrivals}),
    seconds AS (SELECT due // 1000000 AS s, count(*) AS n FROM arrivals GROUP BY s)
    SELECT count(*) FILTER (outcome = 0), count(*) FILTER (outcome = 1),
      quantile_disc(response, 0.5) FILTER (outcome = 0),
      quantile_disc(response, 0.99) FILTER (outcome = 0),
      count(*) FILTER (outcome = 0 AND response > 300000),
      (SELECT max(n) FROM seconds) FROM arrivals`);
  const [ok, throttled, p50Us, p99Us, slow, worstSecond] = reader.getRows()[0]!.map(Number);
  const rest = { p50Us: p50Us!, p99Us: p99Us!, slow: slow!, worstSecond: worstSecond! };
  return { ok: ok!, throttled: throttled!, ...rest };
}

async function child(who: string, dir: string): Promise<void> {
  const start = process.hrtime.bigint();
  const answer =
    who === "gatecrash"
      ? await byGatecrash(dir)
      : await byDuckDb(dir, who === "duckdb" ? PLAIN : LAST);
  const seconds = Number(process.hrtime.bigint() - start) / 1e9;
  const rssMb = process.resourceUsage().maxRSS / 1_024;
  process.stdout.write(JSON.stringify({ answer, seconds, rssMb }));
}

const [, script, who, dir] = process.argv;
if (script === fileURLToPath(import.meta.url) && who !== undefined && dir !== undefined)
  await child(who, dir);
