// The word that heads a run never says other than its exit code, however the run came to its end.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { EXIT, type ExitCode } from "../../src/core/exit.ts";
import type { RunEvent } from "../../src/core/facts.ts";
import { annotationLines } from "../../src/report/github.ts";
import { htmlReport } from "../../src/report/html/page.ts";
import { junitReport } from "../../src/report/junit.ts";
import { markdownReport } from "../../src/report/markdown.ts";
import { report } from "../../src/report/report.ts";
import type { Report } from "../../src/report/result.ts";
import { resultOf } from "../../src/report/result-json.ts";
import { textReport } from "../../src/report/text.ts";
import type { Ended } from "../../src/report/verdict.ts";
import { planFor, plannedLoad, quietEvents, writeRun } from "../support/run-directory.ts";

const S = 1_000_000;
const folder = mkdtempSync(join(tmpdir(), "gatecrash-head-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

type Why = Extract<RunEvent, { kind: "stop" }>["why"];
interface End {
  readonly stop?: readonly [Why, string];
  readonly ended?: Ended;
  /** What it is judged by: it holds, it does not, or too little was sent to know. */
  readonly limit?: string;
  readonly killed?: boolean;
}

let runs = 0;

async function judged({ stop, ended, limit = "p50 <= 300ms", killed }: End): Promise<Report> {
  const attempts = Array.from({ length: 800 }, (_, index) => {
    const dueUs = (index * S) / 40;
    return { index, dueUs, ...(stop && index >= 640 ? DROPPED : {}) };
  });
  const criteria = { accept: [limit], steady: [], stop_when: [] };
  const phases = [{ name: "before", start_us: 0, end_us: 20 * S }];
  const loads = [plannedLoad({ name: "shopper", end_us: 20 * S })];
  const stops: RunEvent[] =
    stop === undefined ? [] : [{ t: 16 * S, kind: "stop", why: stop[0], detail: stop[1] }];
  const all = quietEvents(20, attempts.length, stops);
  const events = killed ? all.filter(({ kind }) => kind !== "end") : all;
  const dir = join(folder, String(runs++));
  writeRun(dir, { plan: planFor({ loads, criteria, phases }, attempts), events, attempts });
  return await report(dir, ended === undefined ? {} : { ended });
}

const DROPPED = { outcome: "dropped", reason: "stopped" } as const;
const FAILS = "p50 <= 1ms";
const OPEN = "p999 <= 300ms";
const ended = (...codes: ExitCode[]): Ended => ({ codes, why: "it went wrong" });

const ENDS: readonly (readonly [string, End, ExitCode, string, string])[] = [
  ["to its end, and all holds", {}, 0, "pass", "PASS"],
  ["to its end, and something fails", { limit: FAILS }, 1, "fail", "FAIL"],
  ["to its end, undecided", { limit: OPEN }, 2, "inconclusive", "INCONCLUSIVE"],
  ["killed", { killed: true }, 3, "invalid", "INVALID"],
  ...(
    [
      ["abort", "asked for by ana@build-7", 5],
      ["condition", "shopper.errors.rate > 20%", 5],
      ["limit", "limits.requests: 1,000 are sent", 5],
      ["error", "fault x could not be injected", 5],
      ["signal", "SIGINT", 130],
      ["signal", "SIGTERM", 143],
    ] as const
  ).flatMap(([why, detail, code]) => {
    const stop = [why, detail] as const;
    const name = `stopped by ${why} ${detail}`;
    return [
      [name, { stop }, code, "inconclusive", "INCONCLUSIVE, STOPPED"],
      [`${name}, and something fails`, { stop, limit: FAILS }, code, "fail", "FAIL, STOPPED"],
      [`${name}, undecided`, { stop, limit: OPEN }, code, "inconclusive", "INCONCLUSIVE, STOPPED"],
    ] as const;
  }),
  ["stopped, then killed", { stop: ["abort", "ana"], killed: true }, 3, "invalid", "INVALID"],
  [
    "not put back",
    { ended: ended(EXIT.undoNotVerified) },
    4,
    "inconclusive",
    "INCONCLUSIVE, NOT UNDONE",
  ],
  ["our bug", { ended: ended(EXIT.bug) }, 70, "inconclusive", "INCONCLUSIVE, ENDED BY AN ERROR"],
  ["a full disk", { ended: ended(EXIT.invalid) }, 3, "invalid", "INVALID"],
];

describe("a run that ended", () => {
  test.each(ENDS)("%s: word and exit code agree", async (_, end, exitCode, verdict, word) => {
    const one = await judged(end);
    expect([one.exitCode, one.verdict]).toEqual([exitCode, verdict]);
    expect(resultOf(one)).toMatchObject({ verdict, exit_code: exitCode });
    expect(textReport(one)).toContain(`\n${word}   `);
    const html = htmlReport(one);
    expect(html).toContain(`<title>${word} · `);
    expect(html).toContain(`</span> ${word}</p>`);
    const [first = ""] = markdownReport(one).split("\n");
    expect(first).toMatch(
      word.includes(",") ? new RegExp(`${word.replace(/^.*,/, ",")}: `) : /^### \S+ [A-Z]/u,
    );
    expect(first.includes("PASS")).toBe(exitCode === 0);
    const junit = junitReport(one);
    expect(/<(failure|error) /.test(junit)).toBe(exitCode !== 0);
    expect(junit).toContain(`name="exit_code" value="${exitCode}"`);
    expect(textReport(one).includes("PASS")).toBe(exitCode === 0);
  });

  test("before its end says after how much of what was planned, and by whom", async () => {
    const one = await judged({ stop: ["abort", "asked for by ana@build-7"] });
    expect(one.reason).toBe(
      "stopped after 16 s of 20 s planned; till then its one criterion holds",
    );
    expect(textReport(one)).toContain("stopped by abort: asked for by ana@build-7");
    expect(annotationLines(one)).toContain("::warning title=stopped::abort: asked for by ana");
    expect(htmlReport(one)).toContain("Every criterion holds so far: run it to its end");
  });
});
