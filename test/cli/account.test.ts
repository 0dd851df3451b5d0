// Runs in an account: a second local AWS plays it, and everything else is as it would be on AWS.
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createControlPlane } from "../../src/aws/control-plane.ts";
import { Workplace } from "../support/command-line.ts";
import {
  type Account,
  PRODUCTION,
  playAccount,
  rehearsal,
  STAGING,
  VISITOR,
} from "../support/rehearsal.ts";

const place = new Workplace();
afterAll(() => place[Symbol.asyncDispose]());

const HOST = "checkout.stg.shop.example";
let staging: Account;
let other: Account;

beforeAll(async () => {
  staging = await playAccount(place, STAGING, HOST);
  other = await playAccount(place, PRODUCTION, "checkout.shop.example");
}, 120_000);

const FAULT = `${VISITOR}faults:
  - reserved-concurrency: { function: "{{outputs.OpenArn}}", to: 0 }
    during: gone
`;

const to = (url: string, body = VISITOR): string =>
  body.replace('"{{outputs.ApiUrl}}/open/1"', `"${url}"`).replace("{{outputs.ApiHost}}", HOST);

/** A name of the distribution that `playAccount` puts before the API. */
const EDGES = ({ account }: Account): string => `www.${account}.example`;

describe("a run in an account", () => {
  test("with a fault is undone by the identities that are declared", async () => {
    const role = (name: string): string => `{ role: "arn:aws:iam::${STAGING}:role/${name}" }`;
    const more = `identities: { load: ${role("l")}, observe: ${role("o")}, inject: ${role("i")}, restore: ${role("r")} }`;
    const folder = rehearsal(place, { stg: { account: staging, more } }, FAULT);
    const out = join(place.dir, "with-fault");
    const ended = await place.run("run", folder, "--env", "stg", "--out", out);
    expect([ended.code, ended.err.split("\n").filter((line) => /error/.test(line))]).toEqual([
      0,
      [],
    ]);
    expect(ended.out).toContain("1 of 1 undone and verified");
    const control = createControlPlane({
      ...{ endpoint: staging.endpoint, region: "eu-west-1", account: null, runId: "test" },
    });
    const now = await control.call("lambda", "GetFunctionConcurrency", { FunctionName: "open" });
    expect(now.ReservedConcurrentExecutions).toBe(undefined);
    const undo = readFileSync(join(out, "undo.jsonl"), "utf8");
    expect(undo).toContain(`arn:aws:lambda:eu-west-1:${STAGING}:function:open`);
    const groups = await control.call("scheduler", "ListSchedules", { GroupName: "gatecrash" });
    expect(groups.Schedules).toEqual([]);
  }, 120_000);

  test("is planned with the way from each host to its account, and who acts", async () => {
    const folder = rehearsal(place, { stg: { account: staging } }, FAULT);
    const { code, out } = await place.run("plan", folder, "--env", "stg");
    expect(code).toBe(0);
    expect(out).toMatch(
      /^WHERE {5}127\.0\.0\.1:\d+ → HTTP API \w+ → function open → account 222222222222/m,
    );
    expect(out).toContain("proven");
    expect(out).toMatch(/^WHO {7}load, observe, inject, restore: arn:aws:iam::222222222222:user/m);
  }, 60_000);

  test("reaches a domain of the account's where the account has put it", async () => {
    const folder = rehearsal(place, { stg: { account: staging } }, to(`http://${HOST}/open/1`));
    const ended = await place.run("run", folder, "--env", "stg", "--json");
    expect([ended.code, JSON.parse(ended.out).counts.sent > 0]).toEqual([0, true]);
  }, 60_000);
});

describe("whose host it is", () => {
  test("checkout.shop.example typed for checkout.stg.shop.example is refused with its account", async () => {
    const both = { stg: { account: staging }, live: { account: other } };
    const body = to("http://checkout.shop.example/open/1").replace(HOST, "checkout.shop.example");
    const folder = rehearsal(place, both, body);
    const { code, out, err } = await place.run("run", folder, "--env", "stg");
    expect([code, out]).toEqual([64, ""]);
    expect(err).toContain(
      `checkout.shop.example belongs to account ${PRODUCTION} (environment live)`,
    );
    expect(err).toContain(`this run is for account ${STAGING}`);
    // With its root, and a sentence: the same name.
    const rooted = body
      .replace("http://checkout.shop.example/", "http://checkout.shop.example./")
      .replace("timeout: 5s", 'timeout: 5s, unverified-host: "ours"')
      .replace('"checkout.shop.example"', '"checkout.shop.example."');
    expect(rooted.match(/example\./g)).toHaveLength(2);
    const again = await place.run("plan", rehearsal(place, both, rooted), "--env", "stg");
    expect([again.code, again.err]).toEqual([
      64,
      expect.stringContaining(`belongs to account ${PRODUCTION} (environment live)`),
    ]);
  }, 60_000);

  test("the same with names of distributions, and of what is before a load balancer", async () => {
    const [ours, theirs] = [EDGES(staging), EDGES(other)];
    const both = { stg: { account: staging }, live: { account: other } };
    const body = (host: string): string =>
      to(`http://${host}/open/1`).replace("hosts: [", `hosts: ["${host}", `);
    const planned = await place.run("plan", rehearsal(place, both, body(ours)), "--env", "stg");
    expect([planned.code, planned.out.replaceAll(/\s+/g, " ")]).toEqual([
      0,
      expect.stringMatching(
        /WHERE www.222222222222.example → distribution E\w+ → \w+\.execute-api\.eu-west-1\.amazonaws\.com → HTTP API \w+ → function open → account 222222222222 eu-west-1 proven/,
      ),
    ]);
    expect(planned.out.replaceAll(/\s+/g, " ")).toContain("a firewall (shop) stands before");
    const { code, out, err } = await place.run(
      ...["run", rehearsal(place, both, body(theirs)), "--env", "stg"],
    );
    expect([code, out, err]).toEqual([
      64,
      "",
      expect.stringContaining(`${theirs} belongs to account ${PRODUCTION} (environment live)`),
    ]);
  }, 60_000);

  test("a reason does not open somebody else's host, only one that nobody knows", async () => {
    const both = { stg: { account: staging }, live: { account: other } };
    const said = (host: string): string =>
      to(`http://${host}/open/1`)
        .replace(HOST, host)
        .replace("timeout: 5s", 'timeout: 5s, unverified-host: "an ALB of ours"');
    const foreign = rehearsal(place, both, said("checkout.shop.example"));
    const refused = await place.run("run", foreign, "--env", "stg");
    expect([refused.code, refused.err]).toEqual([
      64,
      expect.stringContaining("belongs to account"),
    ]);
    const unknown = rehearsal(
      place,
      both,
      to("http://alb.shop.example/").replace(HOST, "alb.shop.example"),
    );
    const open = await place.run("plan", unknown, "--env", "stg");
    expect([open.code, open.err]).toEqual([
      64,
      expect.stringMatching(/account 222222222222 has no such domain[\s\S]*unverified-host: <why>/),
    ]);
    const meant = await place.run(
      "plan",
      rehearsal(place, both, said("alb.shop.example")),
      "--env",
      "stg",
    );
    expect([meant.code, meant.out]).toEqual([
      0,
      expect.stringMatching(/NOT PROVEN[\s\S]*an ALB of ours/),
    ]);
  }, 60_000);

  test("a function of another account is refused without asking for it", async () => {
    const arn = `arn:aws:lambda:eu-west-1:333333333333:function:open`;
    const body = VISITOR.replace(
      /http: \{.*\}\n.*\n/,
      `lambda: { function: "${arn}" }\n    body: { template: body.json, why: "reads" }\n`,
    )
      .replace("{{outputs.ApiHost}}", arn)
      .concat('downstreams: { none: "reads only" }\n');
    const folder = rehearsal(place, { stg: { account: staging } }, body);
    writeFileSync(join(folder, "body.json"), "{}");
    const { code, err } = await place.run("run", folder, "--env", "stg");
    expect([code, err]).toEqual([64, expect.stringContaining("belongs to account 333333333333")]);
  }, 60_000);
});

describe("what looks like production", () => {
  test("is left alone unless its account is named a second time", async () => {
    const env = { live: { account: other, more: "production: true" } };
    const folder = rehearsal(place, env, VISITOR);
    const refused = await place.run("run", folder, "--env", "live");
    expect([refused.code, refused.out]).toEqual([64, ""]);
    expect(refused.err).toContain("this looks like production: live is declared production");
    expect(refused.err).toContain(`--yes-production ${PRODUCTION}`);
    const wrong = await place.run("run", folder, "--env", "live", "--yes-production", STAGING);
    expect([wrong.code, wrong.err]).toEqual([
      64,
      expect.stringContaining(`the account is ${PRODUCTION}`),
    ]);
    const planned = await place.run("plan", folder, "--env", "live");
    expect(planned.out).toContain(`a run needs --yes-production ${PRODUCTION}`);
    const meant = await place.run("run", folder, "--env", "live", "--yes-production", PRODUCTION);
    expect(meant.code).toBe(0);
  }, 90_000);
});

describe("credentials", () => {
  test("of another account are refused", async () => {
    const more = `identities: { observe: { role: "arn:aws:iam::333333333333:role/x" } }`;
    const folder = rehearsal(place, { stg: { account: staging, more } }, VISITOR);
    const { code, err } = await place.run("run", folder, "--env", "stg");
    expect([code, err]).toEqual([
      64,
      expect.stringContaining("the credentials for observe are of account 333333333333"),
    ]);
  }, 60_000);

  test("that end before plan, undo and margin are refused", async () => {
    const folder = rehearsal(place, { stg: { account: staging } }, VISITOR);
    const soon = new Date(Date.now() + 4 * 60_000).toISOString();
    const env = { AWS_CREDENTIAL_EXPIRATION: soon };
    const { code, err } = await place.start(["run", folder, "--env", "stg"], env).ended;
    expect([code, err]).toEqual([
      64,
      expect.stringMatching(/for load end in 3 min, the run may need 6 min/),
    ]);
  }, 60_000);
});

describe("an endpoint", () => {
  test("that is not on this machine is refused before anything is asked", async () => {
    const folder = rehearsal(place, { stg: { account: staging } }, VISITOR);
    const file = join(folder, "scenario.yaml");
    writeFileSync(
      file,
      readFileSync(file, "utf8").replace(staging.endpoint, "https://aws.example"),
    );
    const { code, err } = await place.run("run", folder, "--env", "stg");
    expect([code, err]).toEqual([
      64,
      expect.stringContaining("https://aws.example is not on this machine"),
    ]);
  });
});
describe("before the load", () => {
  test("each route that reads has to match", async () => {
    const body = VISITOR.replace(
      '{{outputs.ApiUrl}}/open/1"',
      '{{outputs.ApiUrl}}/nothing/1"',
    ).replace("GET /open/{id}", "GET /nothing/{id}");
    const folder = rehearsal(place, { stg: { account: staging } }, body);
    const ended = await place.run("run", folder, "--env", "stg");
    expect([ended.code, ended.out]).toEqual([64, ""]);
    expect(ended.err).toMatch(/load visitor, route open: GET got status 404/);
    const off = body.replace("routes:", 'smoke: { off: "known to be gone" }\n    routes:');
    const braked = await place.run(
      "run",
      rehearsal(place, { stg: { account: staging } }, off),
      "--env",
      "stg",
    );
    expect([braked.code, braked.out]).toEqual([
      5,
      expect.stringMatching(/early brake: 100 % of the first/),
    ]);
  }, 120_000);

  test("the join is probed, and what is under test is fingerprinted", async () => {
    const body = VISITOR.replace(
      "observe: {",
      'observe: { access-log: { group: "{{outputs.AccessLogGroup}}" },',
    );
    const folder = rehearsal(place, { stg: { account: staging } }, body);
    const out = join(place.dir, "probed");
    const { code, err } = await place.run("run", folder, "--env", "stg", "--out", out);
    expect([code, err]).toEqual([
      0,
      expect.stringMatching(/1 of 1 probes found their REPORT via access log/),
    ]);
    const { before, after } = JSON.parse(readFileSync(join(out, "fingerprint.json"), "utf8"));
    expect(after).toEqual(before);
    const open = before[`arn:aws:lambda:eu-west-1:${STAGING}:function:open`];
    expect(open).toMatchObject({
      Handler: "shop.handler",
      Timeout: "3",
      Environment: expect.stringMatching(/^[0-9a-f]{16}$/),
    });
  }, 120_000);

  test("a change under the run's hands makes it INVALID", async () => {
    const folder = rehearsal(place, { stg: { account: staging } }, VISITOR);
    const out = join(place.dir, "changed");
    const running = place.start(["run", folder, "--env", "stg", "--out", out]);
    await running.until(
      () =>
        existsSync(join(out, "events", "0.jsonl")) &&
        readFileSync(join(out, "events", "0.jsonl"), "utf8").includes('"before"'),
    );
    const control = createControlPlane({
      endpoint: staging.endpoint,
      region: "eu-west-1",
      account: null,
      runId: "deploy",
    });
    const resize = (sizeMb: number) =>
      control.call("lambda", "UpdateFunctionConfiguration", {
        FunctionName: "open",
        MemorySize: sizeMb,
      });
    await resize(256);
    const ended = await running.ended;
    expect([ended.code, ended.out]).toEqual([
      3,
      expect.stringMatching(/function open changed during the run, MemorySize: 128 → 256/),
    ]);
    await resize(128);
  }, 120_000);
});

describe("outputs", () => {
  test("come from parameters, and from the files of Terraform and the CDK", async () => {
    const folder = rehearsal(place, { stg: { account: staging } }, VISITOR);
    const { ApiUrl, ApiHost, ...others } = staging.outputs;
    const control = createControlPlane({
      endpoint: staging.endpoint,
      region: "eu-west-1",
      account: null,
      runId: "test",
    });
    await control.call("ssm", "PutParameter", {
      Name: "/shop/stg/ApiUrl",
      Value: ApiUrl ?? "",
      Type: "String",
    });
    const terraform = {
      ApiHost: { value: ApiHost },
      Password: { value: "hush-4711", sensitive: true },
    };
    writeFileSync(join(folder, "tf.json"), JSON.stringify(terraform));
    writeFileSync(join(folder, "cdk.json"), JSON.stringify({ Shop: others }));
    const file = join(folder, "scenario.yaml");
    const yaml = readFileSync(file, "utf8").replace(
      "cloudformation: local",
      "ssm: /shop/stg/, terraform: tf.json, cdk: cdk.json",
    );
    writeFileSync(file, yaml);
    const { code, out } = await place.run("plan", folder, "--env", "stg");
    expect([code, out]).toEqual([0, expect.stringContaining("proven")]);
    expect(out).not.toContain("hush-4711");
    writeFileSync(file, yaml.replace("{{outputs.OpenArn}}", "{{outputs.Password}}"));
    const gone = await place.run("plan", folder, "--env", "stg");
    expect([gone.code, gone.err]).toEqual([
      64,
      expect.stringContaining("there is no output `Password`"),
    ]);
  }, 60_000);
});
