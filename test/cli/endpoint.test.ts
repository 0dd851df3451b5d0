// `--endpoint` of a local AWS that plays an account: what is written names that account.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { Workplace } from "../support/command-line.ts";

const place = new Workplace("gatecrash-endpoint-");
afterAll(() => place[Symbol.asyncDispose]());

test("records, leases and ARNs name the account and the region that it plays", async () => {
  const folder = place.scenario();
  const played = ["--account", "222222222222", "--region", "us-east-1", "--json"];
  const local = place.start(["local", "--template", join(folder, "template.yaml"), ...played]);
  await local.until(() => local.out.includes("\n"));
  const { endpoint } = JSON.parse(local.out) as { endpoint: string };
  const out = join(place.dir, "out");
  const ended = await place.run("run", folder, "--endpoint", endpoint, "--out", out);
  expect(ended.out, ended.err).toContain("undone and verified");
  const undo = readFileSync(join(out, "undo.jsonl"), "utf8");
  expect(undo).toContain('"account":"222222222222"');
  expect(undo).toContain('"region":"us-east-1"');
  expect(undo).toContain("arn:aws:lambda:us-east-1:222222222222:function:");
  expect(undo).not.toContain("000000000000");
  const audit = await (await fetch(`${endpoint}/_local/audit`)).text();
  expect(audit).toContain("arn:aws:iam::222222222222:role/gatecrash-dead-man");
  const status = await place.run("status", "--endpoint", endpoint);
  expect([status.code, status.out]).toEqual([0, "nobody changes anything\n"]);
}, 120_000);

test("`gatecrash local` ends with an error when its local AWS has gone away", async () => {
  const { running, pid } = await place.local(join(place.scenario(), "template.yaml"));
  process.kill(pid, "SIGKILL");
  const ended = await running.ended;
  expect(ended.code).not.toBe(0);
  expect(ended.err).toContain("local AWS went away");
}, 120_000);
