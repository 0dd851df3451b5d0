// What log groups are called where they are read: at home, as copies, over a link.
import { describe, expect, test } from "vitest";
import { AwsFailure, type ControlPlane, type Json } from "../../src/core/change.ts";
import { logEvents, lookInto } from "../../src/observe/log-events.ts";
import { groupsOf } from "../../src/observe/log-groups.ts";

const ACCOUNT = "222222222222";
const LOGS = "333333333333";
const OWN_GROUP = `arn:aws:lambda:eu-west-1:${ACCOUNT}:function:own:live`;
const PLAIN = `arn:aws:lambda:eu-west-1:${ACCOUNT}:function:plain`;
const source = { account: ACCOUNT, region: "eu-west-1" };
const elsewhere = (groups: string) => ({
  ...{ account: LOGS, awsRegion: "eu-west-1", groups, source },
});

/** One function logs to a group of its own; nobody may ask for the other's. */
const control: ControlPlane = {
  call: async (_service, _action, { FunctionName }) => {
    if (!String(FunctionName).endsWith(":own")) throw new AwsFailure("AccessDenied", "", "", 403);
    return { LoggingConfig: { LogGroup: "/shop/own" } };
  },
};

const namesOf = async (accessLog: string, groups: string | null): Promise<string[]> => {
  const where = groups === null ? null : elsewhere(groups);
  const found = await groupsOf(control, [OWN_GROUP, PLAIN], accessLog, where);
  return found.map(({ name }) => name);
};

const arn = (account: string, name: string): string =>
  `arn:aws:logs:eu-west-1:${account}:log-group:${name}`;

describe("log groups", () => {
  test("have their own names where no other account has them", async () => {
    const names = ["shop-access", "/shop/own", "/aws/lambda/plain"];
    expect(await namesOf(`${arn(ACCOUNT, "shop-access")}:*`, null)).toEqual(names);
    expect(await namesOf("shop-access", null)).toEqual(names);
  });

  test("are copies by the name that a rule makes of account, region and group", async () => {
    const pattern = `/c/\${source.accountId}/\${source.region}\${source.logGroup}`;
    const at = `/c/${ACCOUNT}/eu-west-1`;
    expect(await namesOf("/shop/$&access", pattern)).toEqual([
      ...[`${at}/shop/$&access`, `${at}/shop/own`, `${at}/aws/lambda/plain`],
    ]);
    const foreign = "arn:aws:logs:eu-north-1:444444444444:log-group:/front:*";
    expect((await namesOf(foreign, pattern))[0]).toBe("/c/444444444444/eu-north-1/front");
  });

  test("are asked for by ARN, without its end, where they are linked", async () => {
    const all = ["shop-access", "/shop/own", "/aws/lambda/plain"].map((name) => arn(ACCOUNT, name));
    expect(await namesOf("shop-access", "linked")).toEqual(all);
    expect(await namesOf(`${arn(ACCOUNT, "shop-access")}:*`, "linked")).toEqual(all);
  });

  test("that are of the account for logs keep their names there", async () => {
    for (const groups of ["linked", `/c\${source.logGroup}`])
      expect((await namesOf(`${arn(LOGS, "fronts")}:*`, groups))[0]).toBe("fronts");
  });
});

test("an ARN is an identifier to CloudWatch Logs, and a name is a name", async () => {
  const asked: { [key: string]: Json }[] = [];
  const logs: ControlPlane = {
    call: async (_service, _action, input) => {
      asked.push(input);
      return { events: [] };
    },
  };
  const query = { fromMs: 1, toMs: 2, pattern: null };
  for (const group of [arn(ACCOUNT, "a"), "a"]) {
    for await (const page of logEvents(logs, { ...query, group })) expect(page).toEqual([]);
    await lookInto(logs, { ...query, group });
  }
  expect(asked.map(({ logGroupName: name, logGroupIdentifier: id }) => [name, id])).toEqual([
    ...Array(2).fill([undefined, arn(ACCOUNT, "a")]),
    ...Array(2).fill(["a", undefined]),
  ]);
});
