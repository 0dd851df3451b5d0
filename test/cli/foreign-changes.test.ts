// A fault on another account's or region's ARN never touches what bears the same name here.
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { Workplace } from "../support/command-line.ts";

const place = new Workplace("gatecrash-foreign-");
afterAll(() => place[Symbol.asyncDispose]());
let endpoint = "";
beforeAll(async () => {
  ({ endpoint } = await place.local(join(place.scenario(), "template.yaml")));
}, 120_000);

const named = (arn: string): string =>
  place.scenario({
    'function: "{{outputs.OpenArn}}"': `function: "${arn}"`,
    'change: ["{{outputs.OpenArn}}"]': `change: ["${arn}"]`,
  });

test.each([
  ["another region", "arn:aws:lambda:us-east-1:000000000000:function:open"],
  ["another account", "arn:aws:lambda:eu-west-1:111111111111:function:open"],
])(
  "of %s is refused by plan and run",
  async (_, arn) => {
    const folder = named(arn);
    for (const command of ["plan", "run"]) {
      const { code, out, err } = await place.run(command, folder, "--endpoint", endpoint);
      expect([code, out]).toEqual([64, ""]);
      const why = `fault \`gone\` would change ${arn}, and the run acts in account 000000000000`;
      expect(err).toContain(`${why}, eu-west-1`);
    }
    const audit = await (await fetch(new URL("/_local/audit", endpoint))).text();
    expect(audit).not.toContain("FunctionConcurrency");
  },
  120_000,
);
