// Roles that lack a right on leases: a run says so before it sends or changes anything.
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { parse, stringify } from "yaml";
import { Workplace } from "../support/command-line.ts";
import { enforce, roleIdentities } from "../support/permissions.ts";
import { type Account, playAccount, rehearsal, STAGING, VISITOR } from "../support/rehearsal.ts";

const place = new Workplace("gatecrash-lease-rights-");
afterAll(() => place[Symbol.asyncDispose]());

const FAULT = `faults:
  - reserved-concurrency: { function: "{{outputs.OpenArn}}", to: 0 }
    during: gone
`;

interface Stack {
  readonly Resources: {
    readonly [name: string]: {
      readonly Properties: {
        readonly Policies?: readonly {
          readonly PolicyDocument: { Statement: readonly { Action: string[] }[] };
        }[];
      };
    };
  };
}

let account: Account;
let folder = "";
let stack = "";

beforeAll(async () => {
  account = await playAccount(place, STAGING, "checkout.stg.shop.example");
  // Nothing is signed here, so there is no role for the load.
  const more = roleIdentities().replace(/load: \{[^}]*\}, /, "");
  folder = rehearsal(place, { stg: { account, more } }, `${VISITOR}${FAULT}`);
  stack = (await place.run("bootstrap", folder, "--env", "stg")).out;
}, 120_000);

/** The stack with one action less for one role. */
function without(role: string, action: string): string {
  const template = parse(stack) as Stack;
  for (const { PolicyDocument } of template.Resources[role]?.Properties.Policies ?? []) {
    const left = PolicyDocument.Statement.map((one) => ({
      ...one,
      Action: one.Action.filter((each) => each !== action),
    }));
    PolicyDocument.Statement = left.filter(({ Action }) => Action.length > 0);
  }
  return stringify(template);
}

test.each([
  ["inject", "InjectRole", "scheduler:DeleteSchedule"],
  ["restore", "RestoreRole", "scheduler:DeleteSchedule"],
  ["restore", "RestoreRole", "scheduler:ListSchedules"],
])(
  "who %ss (%s) without %s",
  async (purpose, role, action) => {
    const less = without(role, action);
    expect(less.length).toBeLessThan(stringify(parse(stack)).length);
    await enforce(account.endpoint, less);
    const out = join(place.dir, `${purpose}-${action.split(":")[1]}`);
    const { code, out: said, err } = await place.run("run", folder, "--env", "stg", "--out", out);
    expect([code, said]).toEqual([64, ""]);
    expect(err).toContain(`who ${purpose}s may not handle leases: AccessDenied`);
    const audit = await (await fetch(new URL("/_local/audit", account.endpoint))).text();
    expect(audit).not.toContain("CreateSchedule");
    expect(audit).not.toContain("FunctionConcurrency");
  },
  120_000,
);
