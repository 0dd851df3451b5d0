// Load that an edge kept from the system: INVALID with the layer's name, unless that is judged.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import type { PlatformRow } from "../../src/core/facts.ts";
import type { Refuser } from "../../src/core/outcome.ts";
import { htmlReport } from "../../src/report/html/page.ts";
import { markdownReport } from "../../src/report/markdown.ts";
import { report } from "../../src/report/report.ts";
import { textReport } from "../../src/report/text.ts";
import { requestId } from "../support/judged-run.ts";
import {
  type AttemptSpec,
  planFor,
  plannedLoad,
  platformRow,
  quietEvents,
  type RunSpec,
  writeRun,
} from "../support/run-directory.ts";

const S = 1_000_000;
const dir = mkdtempSync(join(tmpdir(), "gatecrash-turned-"));
afterAll(() => rmSync(dir, { recursive: true, force: true }));

interface Case {
  readonly accept?: readonly string[];
  readonly platform?: readonly PlatformRow[];
  readonly recorded?: NonNullable<RunSpec["recorded"]>;
}

const frontId = (n: number): string => `Front${n.toString().padStart(10, "0")}=`;

/** A thousand arrivals in ten seconds. */
async function judged(
  shape: (i: number) => Partial<AttemptSpec>,
  { accept = [], ...more }: Case = {},
) {
  const attempts = Array.from({ length: 1_000 }, (_, index): AttemptSpec => {
    return { index, dueUs: index * 10_000, requestId: frontId(index), ...shape(index) };
  });
  const load = plannedLoad({ name: "shop", routes: [""], end_us: 10 * S });
  const phases = [{ name: "all", start_us: 0, end_us: 10 * S }];
  const criteria = { accept, steady: [], stop_when: [] };
  const plan = planFor({ loads: [load], phases, criteria }, attempts);
  writeRun(dir, { plan, attempts, events: quietEvents(10, 1_000), ...more });
  return report(dir);
}

const first =
  (share: number, by: Refuser, status = 403) =>
  (i: number): Partial<AttemptSpec> =>
    i < 1_000 * share ? { outcome: "throttled", refusedBy: by, status } : {};

const COUNTED = ["shop.count >= 0"];

describe("load that an edge refused", () => {
  test.each<[Refuser, RegExp]>([
    ["waf", /firewall.*let the run's addresses or its user agent pass/],
    ["authorizer", /authorizer of the API front.*`auth:`/],
    ["gateway.key", /for want of an API key.*send a key/],
    ["gateway.quota", /quota of a usage plan.*enough left/],
    ["cdn", /content delivery network/],
    ["edge", /does not say which.*access log/],
  ])(
    "by %s makes the run INVALID, with its name, count, an example and what to do",
    async (by, words) => {
      const { verdict, reason, exitCode, throttles } = await judged(first(0.02, by), {
        accept: COUNTED,
      });
      expect([verdict, exitCode, throttles.client]).toEqual(["invalid", 3, { [by]: 20 }]);
      expect(reason).toContain(
        `20 of 1,000 arrivals (2.00 %) never reached the system: 20 refused by ${by} (`,
      );
      expect(reason).toContain("for example request Front0000000000=");
      expect(reason).toMatch(words);
    },
  );

  test("is data when it is one in a hundred", async () => {
    const { verdict, throttles } = await judged(first(0.01, "waf"), { accept: COUNTED });
    expect([verdict, throttles.client]).toEqual(["pass", { waf: 10 }]);
  });

  test.each<[string, Refuser]>([
    ["shop.throttles.waf >= 1", "waf"],
    ["shop.throttles.gateway >= 1", "gateway.quota"],
    ["shop.throttles.gateway.key.rate <= 99%", "gateway.key"],
  ])("is data where %s asks about it", async (criterion, by) => {
    const accept = [criterion];
    expect((await judged(first(0.5, by), { accept })).invalid).toEqual([]);
    const other = by === "waf" ? "authorizer" : "waf";
    expect((await judged(first(0.5, other), { accept })).invalid).toHaveLength(1);
  });

  test.each<Refuser>(["gateway", "lambda.reserved", "application"])(
    "by %s is the system's own refusal, and data",
    async (by) => {
      expect((await judged(first(0.5, by, 429), { accept: COUNTED })).invalid).toEqual([]);
    },
  );

  test("is data where the recorded system answered the same", async () => {
    const recorded = [
      Array.from({ length: 1_000 }, (_, i) => ({ status: i < 500 ? 403 : 200, us: 1 })),
    ];
    expect((await judged(first(0.5, "authorizer"), { recorded })).invalid).toEqual([]);
    expect((await judged(first(0.6, "authorizer"), { recorded })).invalid[0]).toContain(
      "100 of 1,000 arrivals",
    );
  });

  test("is shown by layer in every report", async () => {
    const found = await judged(first(0.5, "waf"));
    const whole = textReport(found).replaceAll(/\s+/g, " ");
    expect(whole).toContain("refused 500 by waf");
    expect(htmlReport(found)).toMatch(/<code>waf<\/code>[\s\S]{0,60}web application firewall/);
    expect(markdownReport(found)).toContain("refused by waf | 500");
  });
});

describe("the access log knows better than the answer", () => {
  const accessed = (i: number, more: Partial<PlatformRow>): PlatformRow =>
    platformRow({ kind: "access", front_request_id: frontId(i), ...more });
  /** Most requests reach the function; the first hundred are what the test says. */
  const lines = (more: Partial<PlatformRow>): PlatformRow[] =>
    Array.from({ length: 1_000 }, (_, i) =>
      i < 100
        ? accessed(i, more)
        : accessed(i, { status: "200", request_id: requestId(i), integration_status: 200 }),
    );
  const errored =
    (status: number) =>
    (i: number): Partial<AttemptSpec> =>
      i < 100 ? { outcome: "errored", reason: "status", status } : {};
  const passedOn = { request_id: requestId(7), integration_status: 200 };

  test.each<[string, (i: number) => Partial<AttemptSpec>, Partial<PlatformRow>, object, object]>([
    [
      "a key's check from a firewall",
      first(0.1, "edge"),
      { error_type: "INVALID_API_KEY" },
      { "gateway.key": 100 },
      {},
    ],
    ["a firewall", first(0.1, "edge"), { error_type: "WAF_FILTERED" }, { waf: 100 }, {}],
    ["an authorizer of an HTTP API", errored(401), {}, { authorizer: 100 }, {}],
    ["a 403 that no integration gave", errored(403), {}, { edge: 100 }, {}],
    [
      "a quota from a throttle",
      first(0.1, "gateway", 429),
      { error_type: "QUOTA_EXCEEDED" },
      { "gateway.quota": 100 },
      {},
    ],
    ["the application's own 403", first(0.1, "authorizer"), passedOn, {}, { status: 100 }],
    ["the application's own 429", first(0.1, "gateway", 429), passedOn, { application: 100 }, {}],
    [
      "Lambda behind a 503",
      errored(503),
      { ...passedOn, integration_status: 429 },
      { lambda: 100 },
      {},
    ],
    ["nothing of a 404", errored(404), {}, {}, { status: 100 }],
    [
      "nothing of an authorizer that broke",
      errored(500),
      { error_type: "AUTHORIZER_FAILURE" },
      {},
      { status: 100 },
    ],
  ])("it tells %s", async (_, shape, more, client, errors) => {
    const found = await judged(shape, { platform: lines(more) });
    expect([found.throttles.client, found.errors]).toEqual([client, errors]);
  });

  test("a log whose format does not say what was asked tells nothing by silence", async () => {
    const platform = Array.from({ length: 1_000 }, (_, i) => accessed(i, { status: "200" }));
    const found = await judged(errored(403), { platform });
    expect([found.throttles.client, found.errors]).toEqual([{}, { status: 100 }]);
  });

  test("what it does not know of was answered before the gateway", async () => {
    const cached = (i: number) => ({ requestId: frontId(i % 600) });
    const found = await judged(cached, { platform: lines(passedOn) });
    expect(found.throttles.logged).toEqual({ answered: 1_000, lines: 600 });
    const whole = textReport(found).replaceAll(/\s+/g, " ");
    expect(whole).toContain("arrived the gateway logged 600 of 1,000 answered requests");
    expect(htmlReport(found)).toContain("the gateway logged 600 of 1,000");
    expect(markdownReport(found)).toContain("the gateway logged 600 of 1,000");
    const all = await judged(() => ({}), { platform: lines(passedOn) });
    expect(textReport(all)).not.toContain("the gateway logged");
  });
});
