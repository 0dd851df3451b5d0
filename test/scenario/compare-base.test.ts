// What a pull request changes of its own judgement, and the scenario that is made of both sides.
import { describe, expect, test } from "vitest";
import {
  CRITERIA_KEYS,
  CRITERIA_LISTS,
  compareScenarios,
  SAFETY_KEYS,
} from "../../src/scenario/compare-base.ts";
import {
  newPowers,
  rawData,
  scenarioText,
  withCriteria,
  withSafety,
} from "../../src/scenario/from-base.ts";
import { scenarioJsonSchema } from "../../src/scenario/json-schema.ts";

const BASE = {
  accept: ["shop.p99 <= 300ms", "shop.errors.rate <= 1%", "shop.degraded.rate >= 95%"],
  steady: ["shop.errors.rate <= 1%"],
  "stop-when": ["shop.in-flight > 350", { alarm: "checkout-errors" }],
  generator: { cpu: "90%" },
  variants: { naive: { expect: "fail" }, hardened: { expect: "pass" } },
  allow: { hosts: ["a.example"], change: ["arn:one"] },
  environments: { stg: { account: "222222222222", "aws-region": "eu-west-1" } },
  loads: {
    shop: { rate: { at: "5/s" }, http: { url: "https://a.example" } },
    orders: { writes: { order: { body: "o.json", why: "test tenant" } }, http: { url: "x" } },
  },
};
type Edit = (scenario: typeof BASE & { [key: string]: unknown }) => void;

function edited(edit: Edit): typeof BASE & { [key: string]: unknown } {
  const copy = structuredClone(BASE);
  edit(copy);
  return copy;
}
const changes = (edit: Edit) =>
  compareScenarios(BASE, edited(edit)).map(({ kind, key, base, head }) => [kind, key, base, head]);

describe("criteria", () => {
  test("none for another order, other blanks or another way to write a limit", () => {
    expect(
      changes((one) => {
        one.accept = [
          "shop.errors.rate  <=  1%",
          "shop.degraded.rate >= 95%",
          "shop.p99 <= 0.3s primary",
          "shop.p99 <= 300ms",
        ].filter((text) => !text.endsWith("primary"));
        one.steady = ["shop.errors.rate <= 1.0%"];
      }),
    ).toEqual([]);
  });

  test.each<[string, Edit, string, string]>([
    ["a higher upper limit", (s) => (s.accept[0] = "shop.p99 <= 900ms"), "loosened", "accept"],
    ["a lower one", (s) => (s.accept[0] = "shop.p99 <= 200ms"), "tightened", "accept"],
    [
      "a lower lower limit",
      (s) => (s.accept[2] = "shop.degraded.rate >= 5%"),
      "loosened",
      "accept",
    ],
    ["a line that is gone", (s) => s.accept.splice(1, 1), "removed", "accept"],
    ["a line that is new", (s) => s.accept.push("shop.dropped == 0"), "added", "accept"],
    [
      "another kind of limit",
      (s) => (s.accept[0] = "shop.p99 <= 1.2 * shop.p50"),
      "removed",
      "accept",
    ],
    ["steady", (s) => (s.steady[0] = "shop.errors.rate <= 9%"), "loosened", "steady"],
    ["a later stop", (s) => (s["stop-when"][0] = "shop.in-flight > 900"), "loosened", "stop-when"],
    ["an alarm that is gone", (s) => s["stop-when"].pop(), "removed", "stop-when"],
    ["the generator's limits", (s) => (s.generator.cpu = "100%"), "changed", "generator.cpu"],
    [
      "an expectation",
      (s) => (s.variants.naive.expect = "pass"),
      "changed",
      "variants.naive.expect",
    ],
  ])("%s", (_, edit, kind, key) => {
    expect(changes(edit)[0]?.slice(0, 2)).toEqual([kind, key]);
  });

  test("one mark `primary` takes it from all the others", () => {
    const found = changes((s) => (s.accept[2] = "shop.degraded.rate >= 95% primary"));
    expect(found).toEqual([
      [
        ...["tightened", "accept", "shop.degraded.rate >= 95%"],
        "shop.degraded.rate >= 95% primary",
      ],
    ]);
  });

  test("the worst is said first", () => {
    const found = changes((s) => (s.accept = ["shop.p99 <= 200ms", "shop.dropped == 0"]));
    expect(found.map(([kind]) => kind)).toEqual(["removed", "removed", "tightened", "added"]);
  });
});

describe("safety", () => {
  test("each entry of a list and each account is said", () => {
    expect(
      changes((s) => {
        s.allow.hosts.push("evil.example");
        s.environments.stg.account = "333333333333";
        Object.assign(s.loads.shop.http, { "unverified-host": "trust me" });
        delete (s.loads.orders as { writes?: unknown }).writes;
        Object.assign(s, { "mute-alarms": ["pages-somebody"] });
      }),
    ).toEqual([
      ["added", "allow.hosts", null, "evil.example"],
      ["changed", "environments.stg.account", "222222222222", "333333333333"],
      ["added", "mute-alarms", null, "pages-somebody"],
      ["added", "loads.shop.http.unverified-host", null, "trust me"],
      ["removed", "loads.orders.writes.order.body", "o.json", null],
      ["removed", "loads.orders.writes.order.why", "test tenant", null],
    ]);
  });
});

describe("the scenario of both", () => {
  test("is judged by the base's criteria and by those that come new, with no mark of theirs", () => {
    const head = edited((s) => {
      s.accept = ["shop.p99 <= 900ms", "shop.dropped == 0 primary"];
      s.generator.cpu = "100%";
      s.variants.naive.expect = "pass";
      delete (s as { steady?: unknown }).steady;
    });
    const data = withCriteria(head, BASE);
    expect(data.accept).toEqual([...BASE.accept, "shop.dropped == 0"]);
    expect(data).toMatchObject({ steady: BASE.steady, generator: BASE.generator });
    expect(data.variants).toEqual(BASE.variants);
    expect(head.accept).toHaveLength(2); // nothing of it was changed in place
  });

  test("has the base's allow-lists, accounts and writes, and the loads of the pull request", () => {
    const head = edited((s) => {
      s.allow.hosts.push("evil.example");
      s.environments.stg.account = "333333333333";
      Object.assign(s.loads.shop.http, { "unverified-host": "trust me" });
      Object.assign(s.loads, { extra: { body: { template: "x.json", why: "new" }, http: {} } });
    });
    const data = withSafety(head, BASE) as typeof BASE & { loads: { extra: object } };
    expect(data.allow).toEqual(BASE.allow);
    expect(data.environments).toEqual(BASE.environments);
    expect(data.loads.shop).toEqual(BASE.loads.shop);
    expect(data.loads.extra).toEqual({ http: {} });
    expect(newPowers(head, BASE)).toEqual({ writes: ["extra"], auth: [] });
    expect(newPowers(BASE, BASE)).toEqual({ writes: [], auth: [] });
  });

  test("mutes what the base mutes, and shows credentials to the hosts that the base names", () => {
    const oauth = (host: string) => ({ oauth: { "token-url": `https://${host}/token` } });
    const base = edited((s) => {
      s["mute-alarms"] = ["checkout-errors"];
      Object.assign(s.loads.shop.http, { auth: oauth("login.example") });
    });
    const head = edited((s) => {
      s["mute-alarms"] = ["checkout-errors", "payments-down"];
      Object.assign(s.loads.shop.http, { auth: oauth("evil.example") });
      Object.assign(s.loads.orders.http, { auth: { bearer: "{{secret.ssm:/prod/key}}" } });
    });
    const data = withSafety(head, base);
    expect(data["mute-alarms"]).toEqual(["checkout-errors"]);
    expect(data.loads).toEqual(base.loads);
    expect(newPowers(head, base)).toEqual({ writes: [], auth: ["orders"] });
    expect(compareScenarios(base, head).map(({ group, key }) => [group, key])).toEqual([
      ["safety", "mute-alarms"],
      ["safety", "loads.shop.http.auth.oauth.token-url"],
      ["safety", "loads.orders.http.auth.bearer"],
    ]);
  });

  test("has a side for every key of a scenario: a new one is decided upon, too", () => {
    const schema = JSON.parse(scenarioJsonSchema()) as { properties: object };
    const ofHead = ["gatecrash", "title", "seed", "variants", "template", "phases", "loads"];
    const more = ["faults", "sinks", "observe", "local", "budget"];
    const ofBase = [...CRITERIA_LISTS, ...CRITERIA_KEYS, ...SAFETY_KEYS];
    expect(Object.keys(schema.properties).sort()).toEqual([...ofHead, ...more, ...ofBase].sort());
  });

  test("survives being written: accounts stay text, anchors are resolved", () => {
    const text = "a: &x { account: '012345678901' }\nb: *x\nc: { <<: *x, more: 1 }\n";
    const data = rawData(text)!;
    const again = rawData(scenarioText(data, ["made of two"]));
    expect(again).toEqual({
      ...{ a: { account: "012345678901" }, b: { account: "012345678901" } },
      c: { account: "012345678901", more: 1 },
    });
    for (const bad of ["- a list", "a: [", "&a [*a]", ""]) expect(rawData(bad)).toBeNull();
  });
});
