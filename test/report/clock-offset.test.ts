// The system's clock against the generator's: the truth is planted, and found within what is said.
import { describe, expect, test } from "vitest";
import type { PlatformRow } from "../../src/core/facts.ts";
import { seededRng } from "../../src/core/rng.ts";
import { htmlReport } from "../../src/report/html/page.ts";
import { resultOf } from "../../src/report/result-json.ts";
import { textReport } from "../../src/report/text.ts";
import { reportOf, requestId } from "../support/judged-run.ts";
import {
  type AttemptSpec,
  EPOCH_MS,
  planFor,
  plannedLoad,
  platformRow,
  quietEvents,
} from "../support/run-directory.ts";

const MS = 1_000;

/** 400 requests, there and back in 1 to 9 ms each; the system's clock is `aheadUs` ahead. */
async function judged(aheadUs: number, logged: boolean) {
  const rng = seededRng(17, "ways");
  const platform: PlatformRow[] = [];
  const attempts = Array.from({ length: 400 }, (_, index): AttemptSpec => {
    const dueUs = index * 25_000;
    const [there, back] = [1, 2].map(() => Math.floor((1 + 8 * rng.next()) * MS));
    const [ranMs, initMs] = [10 + Math.floor(20 * rng.next()), index < 5 ? 200 : null];
    const insideUs = (ranMs + (initMs ?? 0)) * MS;
    const sentUs = dueUs + 100;
    const stampMs = (us: number): number => Math.floor(EPOCH_MS + (us + aheadUs) / MS);
    const lambdaId = requestId(10_000 + index);
    platform.push(
      platformRow({
        ...{
          kind: "report",
          function: "checkout",
          request_id: logged ? lambdaId : requestId(index),
        },
        ...{ at: stampMs(sentUs + there! + insideUs), duration: ranMs, init: initMs },
      }),
    );
    if (logged)
      platform.push(
        platformRow({
          ...{ kind: "access", front_request_id: requestId(index), request_id: lambdaId },
          ...{ at: stampMs(sentUs + there!), duration: insideUs / MS, status: "200" },
        }),
      );
    const serviceUs = there! + insideUs + back!;
    return { index, dueUs, lagUs: 100, serviceUs, requestId: requestId(index) };
  });
  const plan = planFor({ loads: [plannedLoad({ name: "shopper" })], joins: true }, attempts);
  const events = quietEvents(10, 400).map((event) =>
    event.kind === "start" ? { ...event, on: "linux x64, 2 CPUs, Node 20.19.5" } : event,
  );
  return await reportOf({ plan, attempts, events, platform });
}

describe("the clock of the system", () => {
  test.each([
    [0, true],
    [37_250, true],
    [-1_400_600, true],
    [37_250, false],
    [-212_000, false],
  ])("%i µs ahead (access log: %s) is found within what is said", async (aheadUs, logged) => {
    const { clockOffset } = (await judged(aheadUs, logged)).generator;
    const { offsetUs, withinUs, n, by } = clockOffset!;
    expect([n, by]).toEqual([400, logged ? "access_log" : "report"]);
    expect(Math.abs(offsetUs - aheadUs)).toBeLessThanOrEqual(withinUs);
    expect(withinUs).toBeLessThan(4 * MS);
  });

  test("and where the load came from stand in every report", async () => {
    const found = await judged(37_250, true);
    expect(textReport(found)).toMatch(
      / {2}ran on {5}linux x64, 2 CPUs, Node 20\.19\.5 · the system's clock 3\d\.\d ms ahead, /,
    );
    const { clock_offset: offset, machines } = resultOf(found).generator;
    expect(machines).toEqual(["linux x64, 2 CPUs, Node 20.19.5"]);
    expect(offset).toMatchObject({ n: 400, by: "access_log" });
    const page = htmlReport(found);
    expect(page).toContain("The load was sent from linux x64, 2 CPUs, Node 20.19.5.");
    expect(page).toContain("Clock of the system");
  });
});
