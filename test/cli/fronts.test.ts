// What local AWS's gateways count, held against what a run sent: through the built command.
import { cpSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, expect, test } from "vitest";
import { Workplace } from "../support/command-line.ts";
import { RESULT_SCHEMA } from "../support/result-schema.ts";

const place = new Workplace();
afterAll(() => place[Symbol.asyncDispose]());

function folderOf(fixture: string, change: (yaml: string) => string): string {
  const folder = join(place.dir, fixture);
  const from = fileURLToPath(new URL(`../fixtures/${fixture}/`, import.meta.url));
  cpSync(from, folder, { recursive: true });
  const file = join(folder, "scenario.yaml");
  writeFileSync(file, change(readFileSync(file, "utf8")));
  return folder;
}

async function run(folder: string, ...more: string[]) {
  const out = join(folder, "run");
  const env = { PARTNER: "partner-key-0123456789", VISITOR: "visitor" };
  const ended = await place.start(["run", folder, "--out", out, ...more], env).ended;
  const text = readFileSync(join(out, "result.json"), "utf8");
  return { ...ended, result: RESULT_SCHEMA.parse(JSON.parse(text)) };
}

test("a REST API counts what its edges let through and what they turn away", async () => {
  const folder = folderOf("edges", (yaml) =>
    yaml.replace("observe:\n", "observe:\n  metrics: {}\n"),
  );
  const { result } = await run(folder);
  const [front] = result.fronts ?? [];
  expect(front).toMatchObject({
    ...{
      name: expect.stringMatching(/^REST API .+, stage v1$/) as string,
      sent: 320,
      counted: 320,
    },
    ...{ others: 0, missing: 0, minutes_off: 0, unsound: "" },
  });
  expect(front?.turned_away).toBeGreaterThan(100);
  expect(front?.client_errors.counted).toBe(front!.turned_away + front!.client_errors.ours);
}, 120_000);

test("requests of somebody else to an HTTP API are told from ours", async () => {
  const folder = folderOf("echo", (yaml) => yaml);
  const local = place.start(["local", "--template", join(folder, "template.yaml"), "--json"]);
  await local.until(() => local.out.includes("\n"));
  const { endpoint, outputs } = JSON.parse(local.out) as {
    readonly endpoint: string;
    readonly outputs: { readonly ApiUrl: string };
  };
  let others = 0;
  let isOver = false;
  const somebody = (async () => {
    while (!isOver) {
      await (await fetch(`${outputs.ApiUrl}/page`)).arrayBuffer();
      others++;
    }
  })();
  const { out, result } = await run(folder, "--endpoint", endpoint);
  isOver = true;
  await somebody;
  const [front] = result.fronts ?? [];
  expect(front).toMatchObject({ loads: ["visitor"], sent: 180, answered: 180, missing: 0 });
  expect(front?.others).toBeGreaterThan(0);
  expect(front?.others).toBeLessThanOrEqual(others);
  expect(out.replaceAll(/\s+/g, " ")).toMatch(/counted \d[\d,]*, we sent 180; [\d,]+ more \(/);
}, 120_000);
