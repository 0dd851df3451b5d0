// Logs in another account: read there, by copies or over a link, as a role of that account.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { parse } from "yaml";
import { Workplace } from "../support/command-line.ts";
import { asked, called, enforce, unused } from "../support/permissions.ts";
import { type Account, playAccount, rehearsal, STAGING, VISITOR } from "../support/rehearsal.ts";

const place = new Workplace("gatecrash-logs-");
afterAll(() => place[Symbol.asyncDispose]());

const LOGS = "333333333333";
const ROLE = `gatecrash-logs-${STAGING}`;
const HOST = "checkout.stg.shop.example";
/** Every answer has its line, and the front's lines lead there. */
const BODY = VISITOR.replace(
  "observe: {",
  'observe: { access-log: { group: "{{outputs.AccessLogGroup}}" },',
);

const role = (account: string, name: string): string =>
  `{ role: "arn:aws:iam::${account}:role/${name}" }`;
const who = (account: string): string =>
  `identities: { observe: ${role(STAGING, "gatecrash-observe")}, logs: ${role(account, ROLE)} }`;

/** `logs:` of the environment, and a role of this account that reads them. */
const within = (logs: string, of = LOGS): string =>
  rehearsal(place, { stg: { account: staging, more: `logs: { ${logs} }, ${who(of)}` } }, BODY);

const own = (logs = ""): string => `account: "${LOGS}"${logs}`;

/** Both accounts' roles are what `bootstrap` prints, and no more. */
async function enforced(folder: string): Promise<void> {
  const stack = await place.run("bootstrap", folder, "--env", "stg");
  expect(stack.err).toContain(`note: the logs are in account ${LOGS}`);
  await enforce(staging.endpoint, stack.out);
  const there = await place.run("bootstrap", folder, "--env", "stg", "--logs");
  expect([await enforce(staging.endpoint, there.out, LOGS), there.err]).toEqual([[ROLE], ""]);
}

let staging: Account;
beforeAll(async () => {
  staging = await playAccount(place, STAGING, HOST, ["--logs-account", LOGS]);
}, 240_000);

describe.each([
  ["copies of the same name, in another region", ", aws-region: eu-central-1"],
  ["groups that are linked", ", groups: linked"],
])("a run whose log lines are %s", (what, logs) => {
  test("joins them there, with both accounts' roles enforced", async () => {
    const folder = within(own(logs));
    await enforced(folder);
    const out = join(place.dir, what.replaceAll(/\W/g, "-"));
    const ended = await place.run("run", folder, "--env", "stg", "--out", out, "--json");
    expect(ended.code, ended.err + ended.out).toBe(0);
    const { starts } = JSON.parse(ended.out);
    const joined = starts.cold + starts.warm;
    expect(joined).toBeGreaterThan(20);
    expect(joined).toBeGreaterThan(starts.unjoined); // a busy machine's last lines may come late
    expect(readFileSync(join(out, "plan.json"), "utf8")).toContain(`Log lines: of account ${LOGS}`);
    expect((await called(staging.endpoint)).observe?.join()).not.toContain("Logs");
    const report = await asked(staging.endpoint);
    expect(Object.values(report).flatMap(({ refused }) => refused)).toEqual([]);
    const policies = JSON.parse((await place.run("plan", folder, "--env", "stg", "--iam")).out);
    expect(unused(policies.logs, report[ROLE]?.allowed ?? [])).toEqual([]);
    expect(JSON.stringify(policies.observe)).not.toContain("logs:");
  }, 240_000);
});

describe("before anything is sent", () => {
  /** Exit code 64, no output, no run directory; what was said. */
  async function refusal(folder: string): Promise<string> {
    const out = join(place.dir, "never");
    const {
      code,
      out: said,
      err,
    } = await place.run(...["run", folder, "--env", "stg", "--out", out]);
    expect([code, said, existsSync(out)], err).toEqual([64, "", false]);
    return err;
  }

  test("an identity of another account than is declared for logs is refused", async () => {
    const said = await refusal(within(own(), "444444444444"));
    expect(said).toContain(
      `the credentials for logs are of account 444444444444; stg's account for logs is ${LOGS}`,
    );
    const shell = rehearsal(
      ...[place, { stg: { account: staging, more: `logs: { ${own()} }` } }, BODY],
    );
    expect(await refusal(shell)).toMatch(
      /for logs are of account 222222222222[\s\S]*under identities:/,
    );
  }, 240_000);

  test("so is a role that may not be taken, or may not read a group", async () => {
    const folder = within(own());
    const stack = async (...more: string[]): Promise<string> =>
      (await place.run("bootstrap", folder, "--env", "stg", "--logs", ...more)).out;
    await enforce(staging.endpoint, await stack("--external-id", "shop"), LOGS);
    const untaken = await refusal(folder);
    expect(untaken).toContain("who acts for logs in stg's account for logs is not known");
    expect(untaken).toContain(`role arn:aws:iam::${LOGS}:role/${ROLE} could not be taken`);
    expect(untaken).toContain(
      "hint: does its trust policy name you, and is the external id right?",
    );
    const other = (await stack()).replaceAll("local-AccessLog", "local-Other");
    await enforce(staging.endpoint, other, LOGS);
    const unread = await refusal(folder);
    expect(unread).toContain(
      `the logs are in account ${LOGS}, and log group local-AccessLog cannot be read: AccessDenied`,
    );
    expect(unread).toContain("gatecrash bootstrap --logs prints the role");
    const planned = await place.run("plan", folder, "--env", "stg");
    expect([planned.code, planned.out]).toEqual([64, ""]);
    await enforce(staging.endpoint, await stack(), LOGS);
  }, 240_000);

  test("so is an account in which none of the groups is", async () => {
    const groups = `, groups: "/elsewhere\${source.logGroup}"`;
    const folder = within(own(groups));
    const { out } = await place.run("bootstrap", folder, "--env", "stg", "--logs");
    await enforce(staging.endpoint, out, LOGS);
    const said = await refusal(folder);
    expect(said).toContain("there is no log group /elsewherelocal-AccessLog");
    expect(said).toContain("is this what a copy is called (logs.groups)?");
  }, 240_000);

  test("plan says where logs are read, by whom, and which right that takes", async () => {
    const folder = within(own(", groups: linked"));
    await enforced(folder);
    const { code, out, err } = await place.run("plan", folder, "--env", "stg");
    expect(code, err).toBe(0);
    expect(out.replaceAll(/\s+/g, " ")).toContain(
      `WHERE log lines: account ${LOGS} eu-west-1, which monitors account ${STAGING}`,
    );
    expect(out.replaceAll(/\s+/g, " ")).toContain(
      `logs: arn:aws:sts::${LOGS}:assumed-role/${ROLE}`,
    );
    const json = JSON.parse((await place.run("plan", folder, "--env", "stg", "--json")).out);
    expect(json.where.logs).toContain(LOGS);
    const rights = JSON.parse((await place.run("plan", folder, "--env", "stg", "--iam")).out);
    expect(rights.logs.Statement).toEqual([
      {
        ...{ Effect: "Allow", Action: ["logs:FilterLogEvents"] },
        Resource: ["local-AccessLog", "/aws/lambda/open"].map(
          (group) => `arn:aws:logs:eu-west-1:${STAGING}:log-group:${group}:*`,
        ),
      },
    ]);
  }, 240_000);

  test("bootstrap prints a stack for that account, in both formats, or says that there is none", async () => {
    const folder = within(own());
    const args = ["bootstrap", folder, "--env", "stg", "--logs"];
    const { Resources } = parse((await place.run(...args, "--github", "shop/checkout")).out);
    expect(Object.keys(Resources)).toEqual(["Boundary", "LogsRole"]);
    const trust = JSON.stringify(Resources.LogsRole.Properties.AssumeRolePolicyDocument);
    expect(trust).toContain(`arn:aws:iam::${LOGS}:oidc-provider/token.actions`);
    const tf = JSON.parse((await place.run(...args, "--format", "terraform")).out).resource;
    const key = ROLE.replaceAll("-", "_");
    expect(Object.keys(tf.aws_iam_role)).toEqual([key]);
    expect(tf.aws_iam_role[key].assume_role_policy).toContain(`arn:aws:iam::${STAGING}:root`);
    expect(tf.aws_scheduler_schedule_group).toBe(undefined);
    const none = rehearsal(place, { stg: { account: staging } }, BODY);
    const { code, err } = await place.run("bootstrap", none, "--env", "stg", "--logs");
    expect([code, err]).toEqual([
      64,
      expect.stringContaining("stg reads no logs of another account"),
    ]);
  }, 240_000);
});
