// A function whose environment holds secrets is changed and put back: nobody writes them anywhere.
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { createControlPlane } from "../../src/aws/control-plane.ts";
import { Workplace } from "../support/command-line.ts";

const place = new Workplace();
afterAll(() => place[Symbol.asyncDispose]());

const SECRET = "s3cr3t-of-the-shop";

/** Everything that lies below, as text. */
function allBelow(folder: string): string {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), "latin1"))
    .join("\n");
}

/** Every schedule as it is now, description and target's input included. */
async function schedules(endpoint: string): Promise<string> {
  const where = { endpoint, region: "eu-west-1", account: null, runId: "test" };
  const control = createControlPlane(where);
  const GroupName = "gatecrash";
  const { Schedules: listed } = await control.call("scheduler", "ListSchedules", { GroupName });
  const read = (listed as { readonly Name: string }[]).map(({ Name }) =>
    control.call("scheduler", "GetSchedule", { Name, GroupName }),
  );
  return JSON.stringify(await Promise.all(read));
}

test("an environment map with secrets never reaches a schedule, log, tag, event or report", async () => {
  const scenario = place.scenario({
    'reserved-concurrency: { function: "{{outputs.OpenArn}}", to: 0 }':
      'recycle-environments: { function: "{{outputs.OpenArn}}" }',
    "  - function(OpenArn).throttles > 0 primary\n": "",
    "  - visitor.errors.rate >= 50% during gone\n": "",
    "gone: 2500ms": "gone: 6s",
  });
  const template = join(scenario, "template.yaml");
  const before = readFileSync(template, "utf8");
  const line = "      FunctionName: open\n";
  const variables = `      Environment: { Variables: { API_KEY: ${SECRET} } }\n`;
  writeFileSync(template, before.replace(line, `${line}${variables}`));
  const { endpoint } = await place.local(template);
  const out = join(place.dir, "run");
  const running = place.start(["run", scenario, "--endpoint", endpoint, "--out", out]);
  const events = (): string => allBelow(join(out, "events"));
  await running.until(() => running.err.includes("s  gone") || /"onset"/.test(safely(events)));
  const held = await schedules(endpoint);
  const ended = await running.ended;
  expect([ended.code, ended.out]).toEqual([
    0,
    expect.stringContaining("1 of 1 undone and verified"),
  ]);
  expect(held).toContain("recycle-environments");
  const audit = await (await fetch(new URL("/_local/audit", endpoint))).text();
  const undoLog = readFileSync(place.undoLog, "utf8");
  const everything = [held, audit, undoLog, allBelow(out), running.out, running.err].join("\n");
  expect(everything).toContain("recycle-environments");
  expect(everything).not.toContain(SECRET);
}, 240_000);

const safely = (read: () => string): string => {
  try {
    return read();
  } catch {
    return ""; // not there yet
  }
};
