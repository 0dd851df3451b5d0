// API keys and usage plans in front of a REST API: 403 without one, 429 beyond what it allows.
import { expect, it } from "vitest";
import type { UsagePlanSpec } from "../../../src/local/template/usage-types.ts";
import { formatOf, method, type RestGateway, startRestGateway } from "./gateway.ts";

const key = (id: string, enabled = true) => ({
  ...{ id, name: id, value: `${id}-0123456789-0123456789`, enabled },
});
const KEYS = [key("first"), key("second"), key("disabled", false), key("unplanned")];
const FORMAT = formatOf([
  ...["status", "error.responseType", "error.message", "identity.apiKeyId", "identity.apiKey"],
]);

const start = (plan: Partial<UsagePlanSpec>): Promise<RestGateway> => {
  const methods = [
    method("GET", "/keyed", { apiKeyRequired: true }),
    method("GET", "/other", { apiKeyRequired: true }),
    method("GET", "/open"),
  ];
  const stages = [{ apiId: "abcdefghij", stage: "prod", throttles: [] }];
  const whole: UsagePlanSpec = {
    ...{ id: "plan01", name: "plan", stages, quota: null, throttle: null },
    keys: KEYS.slice(0, 3),
    ...plan,
  };
  const accessLog = { group: "g", format: FORMAT };
  return startRestGateway({ methods, accessLog }, undefined, { keys: KEYS, plans: [whole] });
};

const told = (gateway: RestGateway): unknown => JSON.parse(gateway.lines.at(-1)?.message ?? "");
const ask = async (gateway: RestGateway, id: string, path = "keyed"): Promise<unknown[]> => {
  const value = id === "" ? [] : ["X-Api-Key", `${id}-0123456789-0123456789`];
  const { status, headers, body } = await gateway.ask("GET", `/prod/${path}`, value);
  return [status, headers["x-amzn-errortype"], body];
};
const OK = [200, undefined, "hi"];
const FORBIDDEN = [403, "ForbiddenException", '{"message":"Forbidden"}'];
const TOO_MANY = [429, "TooManyRequestsException", '{"message":"Too Many Requests"}'];
const EXCEEDED = [429, "LimitExceededException", '{"message":"Limit Exceeded"}'];

it.each(["", "wrong", "disabled", "unplanned"])("the key '%s' is forbidden", async (id) => {
  await using gateway = await start({});
  expect(await ask(gateway, id)).toEqual(FORBIDDEN);
  expect(told(gateway)).toEqual({
    ...{ status: "403", "error.responseType": "INVALID_API_KEY", "error.message": "Forbidden" },
    ...{ "identity.apiKeyId": "-", "identity.apiKey": "-" },
  });
  expect(await ask(gateway, id, "open")).toEqual(OK);
});

it("a plan of another stage gives no access", async () => {
  await using gateway = await start({ stages: [] });
  expect(await ask(gateway, "first")).toEqual(FORBIDDEN);
});

it("a key that is let in is known to the function and, all but its end, to the log", async () => {
  await using gateway = await start({});
  expect(await ask(gateway, "first")).toEqual(OK);
  expect(gateway.calls[0]?.event).toMatchObject({
    requestContext: {
      identity: { apiKeyId: "first", apiKey: "first-0123456789-0123456789" },
    },
  });
  expect(told(gateway)).toMatchObject({
    ...{ "identity.apiKeyId": "first", "identity.apiKey": `${"*".repeat(21)}456789` },
  });
});

it("each key has the plan's rate and burst", async () => {
  await using gateway = await start({ throttle: { ratePerSecond: 1, burst: 2 } });
  const seen = [];
  for (const id of ["first", "first", "first", "second"]) seen.push(await ask(gateway, id));
  expect(seen).toEqual([OK, OK, TOO_MANY, OK]);
  gateway.pass(1_000);
  expect([await ask(gateway, "first"), await ask(gateway, "first", "other")]).toEqual([
    ...[OK, TOO_MANY],
  ]);
  expect(told(gateway)).toMatchObject({
    ...{ "error.responseType": "THROTTLED", "identity.apiKeyId": "first" },
  });
});

it("a method's throttle stands instead of the plan's", async () => {
  const throttles = [{ method: "GET", path: "/other", ratePerSecond: 1, burst: 1 }];
  const stages = [{ apiId: "abcdefghij", stage: "prod", throttles }];
  await using gateway = await start({ stages, throttle: { ratePerSecond: 1, burst: 3 } });
  const seen = [];
  for (const path of ["other", "other", "keyed", "keyed", "keyed", "keyed"])
    seen.push(await ask(gateway, "first", path));
  expect(seen).toEqual([OK, TOO_MANY, OK, OK, OK, TOO_MANY]);
});

it("a quota ends with its period, and a throttled request does not use it up", async () => {
  const quota = { limit: 4, period: "DAY", offset: 1 } as const;
  await using gateway = await start({ quota, throttle: { ratePerSecond: 1, burst: 2 } });
  const seen = [];
  for (let i = 0; i < 3; i++) seen.push(await ask(gateway, "first"));
  gateway.pass(5_000);
  for (let i = 0; i < 2; i++) seen.push(await ask(gateway, "first"));
  expect(seen).toEqual([OK, OK, TOO_MANY, OK, EXCEEDED]);
  expect(told(gateway)).toMatchObject({
    ...{ "error.responseType": "QUOTA_EXCEEDED", "error.message": "Limit Exceeded" },
  });
  gateway.pass(24 * 3_600_000);
  expect(await ask(gateway, "first")).toEqual(OK);
});
