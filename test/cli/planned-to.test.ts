// Which arrivals of a plan end in a queue behind an HTTP API: by the paths that are really sent.
import { expect, test } from "vitest";
import type { CountedLoad } from "../../src/cli/count-loads.ts";
import { Destinations } from "../../src/cli/planned-to.ts";
import type { ControlPlane } from "../../src/core/change.ts";
import { runUs } from "../../src/core/time.ts";

const QUEUE = "arn:aws:sqs:eu-west-1:222222222222:jobs";
const URL_OF = "https://a1.execute-api.eu-west-1.amazonaws.com";

/** An HTTP API that puts `POST /{name}` of these names into the queue. */
const api = (...names: readonly string[]): ControlPlane => {
  const sqs = { IntegrationId: "i1", IntegrationSubtype: "SQS-SendMessage" };
  const QueueUrl = "https://sqs.eu-west-1.amazonaws.com/222222222222/jobs";
  const answers: { readonly [action: string]: readonly object[] } = {
    GetApis: [{ ApiId: "a1", ApiEndpoint: URL_OF }],
    GetStages: [],
    GetIntegrations: [{ ...sqs, RequestParameters: { QueueUrl } }],
    GetRoutes: names.map((name) => ({ RouteKey: `POST /${name}`, Target: "integrations/i1" })),
  };
  return { call: async (_, action) => ({ Items: answers[action] ?? [] }) };
};

function replayOf(paths: readonly string[], rewrites: readonly { from: string; to: string }[]) {
  const arrivals = () =>
    paths.map((path, index) => {
      const call = { kind: "http", method: "POST", path, headers: [], body: null } as const;
      return { index, dueUs: runUs(index * 1_000_000), route: 0, call };
    });
  const target = { kind: "http", url: URL_OF, rewrites };
  const counts = { perSecond: [] };
  return { load: { name: "shop", target }, facts: {}, counts, arrivals } as unknown as CountedLoad;
}

test("a rewritten beginning is a whole segment, as the target has it", async () => {
  const counted = replayOf(["/prod/jobs", "/product"], [{ from: "/prod", to: "" }]);
  const to = async (...names: readonly string[]) =>
    (await Destinations.read([counted], api(...names))).to(QUEUE).perSecond;
  expect(await to("jobs")).toEqual([1]);
  expect(await to("jobs", "product")).toEqual([1, 1]);
  expect(await to("uct")).toEqual([]);
});
