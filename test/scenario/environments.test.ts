// What can be wrong with an environment's account for logs, each with its line and its hint.
import { describe, expect, it } from "vitest";
import { complaints } from "./support.ts";

describe("logs of another account", () => {
  const within = (more: string): string =>
    `environments: { s: { account: "222222222222", aws-region: eu-west-1, ${more} } }`;
  const logs = (text: string): string => within(`logs: { account: "333333333333"${text} }`);
  const known = ["logGroup", "accountId", "region"].map((name) => `\${source.${name}}`).join(", ");

  it.each([
    [logs(""), []],
    [logs(", groups: linked"), []],
    [logs(`, aws-region: eu-north-1, groups: "/c/\${source.accountId}\${source.logGroup}"`), []],
    [
      within('logs: { account: "222222222222" }'),
      ["5: this is the environment's own: `observe` reads its logs"],
    ],
    [
      within("logs: { account: 333333333333 }"),
      ['5: `environments.s.logs.account`: an account id must stand in quotes: "123456789012"'],
    ],
    [within("logs: {}"), ["5: missing key `account` in `environments.s.logs`"]],
    [
      within("identities: { logs: { profile: logs } }"),
      [
        "5: who reads logs in another account is said, and not which account that is (say it: " +
          'logs: { account: "333333333333" }; in the environment\'s own, `observe` reads them)',
      ],
    ],
    [
      logs(", groups: linked, aws-region: eu-north-1"),
      ["5: a link is within one region: that of the environment"],
    ],
    [
      logs(", groups: /central"),
      [
        `5: each group has a copy of its own: \${source.logGroup} stands in its name (or write ` +
          "`linked`, where the account monitors the groups themselves)",
      ],
    ],
    [
      logs(`, groups: "\${source.org.id}\${source.logGroup}"`),
      [`5: \${source.org.id} is not known here (write what it stands for; known are ${known})`],
    ],
  ])("%j", (lines, expected) => expect(complaints(lines)).toEqual(expected));
});
