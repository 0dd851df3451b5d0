// A plan reads what a fault would change; what may be secret it does not show.
import { expect, test } from "vitest";
import { changeOf } from "../../src/cli/planned-changes.ts";
import type { Change, Fault } from "../../src/core/change.ts";
import type { FaultSpec } from "../../src/core/scenario.ts";

const SECRET = "s3cr3t-value";
const NAME = { FunctionName: "checkout" };
const READ = { action: "GetFunctionConfiguration", input: NAME, fields: ["Environment"] };

/** As a fault on a function's environment would be: the whole map is replaced, and put back. */
const environment = (secret: boolean): Fault => {
  const set = (of: unknown): Change => ({
    ...{ service: "lambda", action: "UpdateFunctionConfiguration", readBack: READ, secret },
    input: { ...NAME, Environment: of as { [key: string]: string } },
  });
  const faulted = { Environment: { Variables: { KEY: SECRET, SLOW: "1" } } };
  return {
    ...{ kind: "environment", name: "slow", resources: ["arn"], faulted },
    read: { service: "lambda", ...READ },
    inject: () => [set(faulted.Environment)],
    undo: (prior) => [set(prior.Environment)],
    probe: { service: "lambda", action: "Invoke", input: NAME, inForce: () => false },
  };
};
const SPEC: FaultSpec = {
  ...{ kind: "environment", name: "slow", during: null, startUs: 0, endUs: 1, input: {}, line: 1 },
};
const system = {
  ...{ region: "eu-west-1", endpoint: "aws", local: null },
  control: { call: async () => ({ Environment: { Variables: { KEY: SECRET } } }) },
};

test("an environment map with secrets is named in a plan, and not shown", async () => {
  const shown = await changeOf(SPEC, environment(true), system);
  expect(JSON.stringify(shown)).not.toContain(SECRET);
  expect(shown).toMatchObject({
    prior: "Environment …",
    undo: "aws lambda update-function-configuration --function-name '…' --environment '…' --region eu-west-1",
  });
  expect(JSON.stringify(await changeOf(SPEC, environment(false), system))).toContain(SECRET);
});
