// What answers asked their clients to wait, as the report shows it.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { htmlReport } from "../../src/report/html/page.ts";
import { markdownReport } from "../../src/report/markdown.ts";
import { report } from "../../src/report/report.ts";
import { textReport } from "../../src/report/text.ts";
import {
  type AttemptSpec,
  planFor,
  plannedLoad,
  quietEvents,
  writeRun,
} from "../support/run-directory.ts";

const S = 1_000_000;
const dir = mkdtempSync(join(tmpdir(), "gatecrash-retry-after-"));
afterAll(() => rmSync(dir, { recursive: true, force: true }));

/** A hundred arrivals, each refused first and then sent again; the resends come first in a file. */
async function judged(first: (i: number) => Partial<AttemptSpec>, againAfterUs: number) {
  const arrivals = Array.from({ length: 100 }, (_, index) => ({ index, dueUs: index * 50_000 }));
  const attempts = [
    ...arrivals.map(({ index, dueUs }): AttemptSpec => {
      const readyUs = dueUs + 100 + 20_000 + againAfterUs;
      return { index, dueUs, attempt: 2, readyUs };
    }),
    ...arrivals.map(
      (arrival): AttemptSpec => ({
        ...{ ...arrival, outcome: "throttled", refusedBy: "lambda", status: 429 },
        ...first(arrival.index),
      }),
    ),
  ];
  const load = { ...plannedLoad({ name: "shop", end_us: 5 * S }), resend_attempts: 2 };
  const phases = [{ name: "all", start_us: 0, end_us: 5 * S }];
  const plan = planFor({ loads: [load], phases }, attempts);
  writeRun(dir, { plan, attempts, events: quietEvents(5, 200), segmentRows: 70 });
  return report(dir);
}

test("is a distribution by who asked, with the resends that came sooner", async () => {
  const found = await judged((i) => {
    if (i < 50) return { retryAfterMs: i < 40 ? 1_000 : 3_000 };
    return i < 60 ? { outcome: "errored", refusedBy: "", reason: "status", status: 503 } : {};
  }, 2 * S);
  expect(found.throttles.retry_after).toEqual({
    rows: [{ by: "lambda", attempts: 90, said: 50, min_ms: 1_000, p50_ms: 1_000, max_ms: 3_000 }],
    waited: 40,
    sooner: 10,
  });
  const words = "Retry-After in 50 of 90 by lambda (1,000–3,000 ms, p50 1,000); 10 of 50 resends";
  expect(textReport(found).replaceAll(/\s+/g, " ")).toContain(words);
  expect(htmlReport(found)).toContain("10 of 50 resends came sooner");
  expect(markdownReport(found)).toContain("10 of 50 resends came sooner");
});

test("of a status that is no throttle goes by the status", async () => {
  const found = await judged(
    () => ({
      ...{ outcome: "errored", refusedBy: "", reason: "status", status: 503, retryAfterMs: 250 },
    }),
    S,
  );
  expect(found.throttles.retry_after?.rows).toMatchObject([
    { by: "status 503", attempts: 100, said: 100, min_ms: 250, max_ms: 250 },
  ]);
});

test("is not there where nothing asked", async () => {
  const found = await judged(() => ({}), S);
  expect("retry_after" in found.throttles).toBe(false);
  expect(textReport(found)).not.toContain("Retry-After");
});
