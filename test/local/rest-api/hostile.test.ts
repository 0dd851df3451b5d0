// Whatever clients send and functions say, a REST API answers, and goes on answering.
import fc from "fast-check";
import { expect, it } from "vitest";
import type { AuthorizerSpec } from "../../../src/local/template/rest-types.ts";
import { outcomeOf } from "../http-api/gateway.ts";
import { formatOf, method, startRestGateway } from "./gateway.ts";

const AUTHORIZER: AuthorizerSpec = {
  ...{ name: "a", type: "REQUEST", functionName: "auth", pattern: null, cacheS: 5 },
  identity: [{ in: "header", name: "x-token" }],
};
const NAMES = ["status", "path", "authorizer.principalId", "authorizer.toString", "constructor"];

const statement = fc.record({
  Effect: fc.constantFrom("Allow", "Deny", "allow", 1),
  Action: fc.oneof(fc.constantFrom("*", "execute-api:*"), fc.jsonValue()),
  Resource: fc.oneof(fc.string(), fc.constant("*"), fc.jsonValue()),
});
const verdict = fc.oneof(
  fc.record({
    principalId: fc.oneof(fc.string(), fc.jsonValue()),
    policyDocument: fc.record({ Statement: fc.oneof(fc.array(statement), statement) }),
    context: fc.oneof(fc.dictionary(fc.string(), fc.jsonValue()), fc.constant(undefined)),
  }),
  fc.jsonValue(),
);
const result = fc.oneof(
  fc.record(
    {
      statusCode: fc.oneof(fc.integer({ min: 90, max: 700 }), fc.string()),
      headers: fc.oneof(fc.dictionary(fc.string(), fc.jsonValue()), fc.jsonValue()),
      multiValueHeaders: fc.dictionary(fc.string(), fc.array(fc.string())),
      body: fc.oneof(fc.string(), fc.jsonValue()),
      isBase64Encoded: fc.boolean(),
    },
    { requiredKeys: [] },
  ),
  fc.jsonValue(),
);
const path = fc.stringMatching(/^[!-"$-~]{0,40}$/);

it("answers with a status, writes one line, and takes the next request", async () => {
  await using gateway = await startRestGateway({
    methods: [method("ANY", "/{proxy+}", { authorizer: AUTHORIZER }), method("ANY", "/")],
    binaryTypes: ["*/*"],
    tracing: true,
    accessLog: { group: "g", format: formatOf(NAMES) },
  });
  const asked = fc.asyncProperty(path, path, verdict, result, async (at, token, policy, answer) => {
    gateway.play(async ({ functionName }) =>
      outcomeOf({ payload: JSON.stringify((functionName === "auth" ? policy : answer) ?? null) }),
    );
    const headers = ["X-Token", token, "X-Amzn-Trace-Id", token, "Accept", token];
    const lines = gateway.lines.length;
    const { status } = await gateway.ask("POST", `/prod/${at}`, headers, at);
    expect(status).toBeGreaterThanOrEqual(200);
    expect(status).toBeLessThan(600);
    expect(gateway.lines).toHaveLength(lines + 1);
  });
  await fc.assert(asked, { numRuns: 300 });
}, 60_000);
