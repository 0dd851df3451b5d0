// Before the first byte to an account: destinations by ARN and URL, its list, what writes reach.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Workplace } from "../support/command-line.ts";
import { type Account, playAccount, rehearsal, STAGING, VISITOR } from "../support/rehearsal.ts";

const place = new Workplace();
afterAll(() => place[Symbol.asyncDispose]());
let staging: Account;
beforeAll(async () => {
  staging = await playAccount(place, STAGING, "checkout.stg.shop.example");
}, 120_000);

const THEIRS = "333333333333";
const DOWNSTREAMS = 'downstreams: { mail: "none is sent" }\n';

/** The visitor with another target, whose one body is `{}`. */
function feeding(target: string, allowed: string, more = DOWNSTREAMS): string {
  const body = VISITOR.replace(/http: \{.*\}\n.*\n/, `${target}\n`)
    .replace("{{outputs.ApiHost}}", allowed)
    .concat(more);
  const folder = rehearsal(place, { stg: { account: staging } }, body);
  writeFileSync(join(folder, "body.json"), "{}");
  return folder;
}

const writes = async (): Promise<unknown> =>
  ((await (await fetch(`${staging.endpoint}/_local/audit`)).json()) as { writes: unknown }).writes;

describe("a destination of another account", () => {
  const queue = `https://sqs.eu-west-1.amazonaws.com/${THEIRS}/jobs`;
  const queueArn = `arn:aws:sqs:eu-west-1:${THEIRS}:jobs`;
  const stream = `arn:aws:kinesis:eu-west-1:${THEIRS}:stream/clicks`;
  const body = 'body: { template: body.json, why: "reads" }';

  test.each([
    [`sqs: { queue: "${queue}" }\n    ${body}`, queue],
    [`sqs: { queue: "${queueArn}" }\n    ${body}`, queueArn],
    [`kinesis: { stream: "${stream}" }\n    ${body}`, stream],
  ])(
    "is refused: %s",
    async (target, allowed) => {
      const before = await writes();
      const { code, out, err } = await place.run("run", feeding(target, allowed), "--env", "stg");
      expect([code, out]).toEqual([64, ""]);
      expect(err).toContain(THEIRS);
      expect(err).toMatch(/belongs to account 3{12}|of account 3{12}/);
      expect(await writes()).toEqual(before);
    },
    60_000,
  );
});

describe("GATECRASH_PRODUCTION_ACCOUNTS", () => {
  const listed = (accounts: string, ...more: string[]) => {
    const folder = rehearsal(place, { stg: { account: staging } }, VISITOR);
    const env = { GATECRASH_PRODUCTION_ACCOUNTS: accounts };
    return place.start(["run", folder, "--env", "stg", ...more], env).ended;
  };

  test("keeps a run away from an account that is listed, unless it is meant", async () => {
    const refused = await listed(`111111111111, ${STAGING}`);
    expect([refused.code, refused.out]).toEqual([64, ""]);
    expect(refused.err).toContain(`account ${STAGING} is listed in GATECRASH_PRODUCTION_ACCOUNTS`);
    const meant = await listed(STAGING, "--yes-production", STAGING);
    expect(meant.code, meant.out + meant.err).toBe(0);
  }, 90_000);

  test("with a mistake in it stops every run in an account", async () => {
    const { code, err } = await listed("2222-2222-222");
    expect([code, err]).toEqual([64, expect.stringContaining("2222-2222-222 is no account id")]);
  }, 60_000);
});

describe("whoever writes", () => {
  const target = (): string =>
    'lambda: { function: "{{outputs.OpenArn}}" }\n    body: { template: body.json, why: "reads" }';

  test("says what the writes reach, or is refused", async () => {
    const bare = feeding(target(), "{{outputs.OpenArn}}", "");
    const refused = await place.run("run", bare, "--env", "stg");
    expect([refused.code, refused.out]).toEqual([64, ""]);
    expect(refused.err).toMatch(
      /load visitor writes; what do its writes reach\?[\s\S]*downstreams:/,
    );
    const empty = await place.run(
      "run",
      feeding(target(), "{{outputs.OpenArn}}", "downstreams: {}\n"),
      "--env",
      "stg",
    );
    expect(empty.code).toBe(64);
  }, 90_000);

  test("has it in the plan, and runs", async () => {
    const folder = feeding(target(), "{{outputs.OpenArn}}");
    const plan = await place.run("plan", folder, "--env", "stg");
    expect([plan.code, plan.out]).toEqual([0, expect.stringContaining("mail, none is sent")]);
    const ended = await place.run("run", folder, "--env", "stg");
    expect(ended.code, ended.out + ended.err).toBe(0);
  }, 90_000);

  test("needs to say nothing on this machine alone", async () => {
    const folder = place.scenario();
    const { code, err } = await place.run("plan", folder);
    expect(code, err).toBe(0);
  }, 60_000);
});
