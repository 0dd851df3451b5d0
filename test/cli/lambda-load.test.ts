// Loads of Lambda itself, through the built command: every answer joined to its REPORT, by its id.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { Workplace } from "../support/command-line.ts";
import { RESULT_SCHEMA } from "../support/result-schema.ts";

const place = new Workplace();
afterAll(() => place[Symbol.asyncDispose]());

/** Three loads: a function that answers, the same one for later, and one that lets nobody in. */
const LOADS = `loads:
  asked:
    rate: { at: 40/s }
    lambda: { function: "{{outputs.OpenArn}}", timeout: 5s }
    body: { template: body.json, why: probes of a test }
  told:
    rate: { at: 10/s }
    lambda: { function: open, invocation: async, timeout: 5s }
    body: { template: body.json, why: probes of a test }
  refused:
    saturate: { connections: 2 }
    lambda: { function: "{{outputs.ShutArn}}", timeout: 5s }
    body: { template: body.json, why: probes of a test }
`;
const REST = `observe:
  reports: { functions: ["{{outputs.OpenArn}}"] }
  metrics: { functions: ["{{outputs.OpenArn}}", "{{outputs.ShutArn}}"] }
  wait: 20s
accept:
  - asked.errors.rate <= 5%
  - asked.warm.p99 <= 2s
  - told.errors.rate <= 10%
  - refused.throttles.lambda.reserved > 10
  - function(ShutArn).throttles > 10 primary
`;

describe("a load of Lambda", () => {
  test("tells cold from warm for each answer, and which limit refused", async () => {
    const folder = place.scenario();
    const file = join(folder, "scenario.yaml");
    const yaml = readFileSync(file, "utf8");
    const head = yaml.slice(0, yaml.indexOf("loads:")).replaceAll("{{outputs.ApiHost}}", "open");
    const hosts = '["open", "{{outputs.OpenArn}}", "{{outputs.ShutArn}}"]';
    const allowed = head.replace('["open"]', hosts).replace("requests: 2000", "requests: 200000");
    writeFileSync(file, `${allowed}${LOADS}${REST}`);
    writeFileSync(join(folder, "body.json"), '{"gatecrash":"probe","seq":"{{seq}}"}\n');
    const out = join(place.dir, "run");
    const ended = await place.run("run", folder, "--out", out);
    expect(ended).toMatchObject({ code: 0 });
    const result = RESULT_SCHEMA.parse(JSON.parse(readFileSync(join(out, "result.json"), "utf8")));
    const [asked, told, refused] = result.loads;
    for (const load of [asked, told]) expect(load?.ok).toBe(load?.planned);
    const answered = (asked?.ok ?? 0) + (told?.ok ?? 0);
    expect(answered).toBeGreaterThan(150);
    expect(refused).toMatchObject({ ok: 0, dropped: 0, sent: refused?.throttled });
    expect(result.starts).toMatchObject({ provisioned: 0, unjoined: 0 });
    expect(result.starts.cold).toBeGreaterThan(0);
    expect(result.starts.warm + result.starts.cold).toBe(answered);
    expect(result.throttles.client).toEqual({ "lambda.reserved": refused?.throttled });
    expect(result.throttles.platform).toMatchObject({ shut: refused?.throttled });
    expect(result.balance.holds).toBe(true);
  }, 120_000);
});
