// Load that edges before a REST API turn away: firewall, API key, quota and authorizer, end to end.
import { cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type LocalCommand, Workplace } from "../support/command-line.ts";
import { type Account, PRODUCTION, rehearsal, STAGING } from "../support/rehearsal.ts";
import { RESULT_SCHEMA } from "../support/result-schema.ts";

const EDGES = fileURLToPath(new URL("../fixtures/edges/", import.meta.url));
const place = new Workplace();
afterAll(() => place[Symbol.asyncDispose]());

const UUID = "[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}";

/** An account with the fixture deployed, and a domain of its own. */
async function play(account: string, domain: string): Promise<Account> {
  const folder = join(place.dir, `shop-${account}`);
  cpSync(EDGES, folder, { recursive: true });
  const template = join(folder, "template.yaml");
  const yaml = readFileSync(template, "utf8");
  const own = `      Domain: { DomainName: ${domain}, BasePath: shop }\n`;
  writeFileSync(template, yaml.replace("      StageName: v1\n", `$&${own}`));
  const args = ["local", "--template", template, "--account", account, "--json"];
  const running = place.start(args);
  await running.until(() => running.out.includes("\n"));
  return { running, account, ...(JSON.parse(running.out) as Omit<LocalCommand, "running">) };
}

const KEYED = `allow: { hosts: ["HOST", "{{outputs.ApiHost}}"] }
phases: [{ open: 3s }]
loads:
  shopper:
    rate: { at: 30/s }
    http: { url: "http://HOST/shop/keyed", timeout: 5s, auth: { api-key: "{{env.PARTNER}}" } }
accept: [shopper.dropped == 0]
`;

describe("a REST API in an account", () => {
  const [ours, theirs] = ["checkout.stg.shop.example", "checkout.shop.example"];
  let staging: Account;
  let other: Account;
  beforeAll(async () => {
    staging = await play(STAGING, ours);
    other = await play(PRODUCTION, theirs);
  }, 120_000);

  const folderFor = (host: string): string => {
    const both = { stg: { account: staging }, live: { account: other } };
    return rehearsal(place, both, KEYED.replaceAll("HOST", host));
  };
  const env = { PARTNER: "partner-key-0123456789" };

  test("is proven by its domain; plan warns of its firewall, its plan's throttle and quota", async () => {
    const { code, out, err } = await place.start(["plan", folderFor(ours), "--env", "stg"], env)
      .ended;
    const text = out.replaceAll(/\s+/g, " ");
    expect([code, err]).toEqual([0, ""]);
    expect(text).toMatch(
      /WHERE checkout\.stg\.shop\.example → REST API \w+ → function shop → account 222222222222 eu-west-1 proven/,
    );
    expect(text).toContain("load shopper: a firewall (shop) stands before it");
    expect(text).toContain(
      "load shopper: usage plan small lets 5/s through, its worst second has 30",
    );
    expect(text).toContain("load shopper: usage plan small lets 20 a day through, it has 90");
  }, 60_000);

  test("of another account is refused with that account, before anything is sent", async () => {
    const { code, out, err } = await place.start(["run", folderFor(theirs), "--env", "stg"], env)
      .ended;
    expect([code, out]).toEqual([64, ""]);
    expect(err).toContain(`${theirs} belongs to account ${PRODUCTION} (environment live)`);
  }, 60_000);

  test("whose quota runs out in the run is INVALID", async () => {
    const { code, out } = await place.start(["run", folderFor(ours), "--env", "stg"], env).ended;
    expect([code, out.replaceAll(/\s+/g, " ")]).toEqual([
      3,
      expect.stringMatching(/never reached the system: \d+ refused by gateway\.quota/),
    ]);
  }, 60_000);
});

/** A run of the fixture with other text in its scenario. */
async function run(
  name: string,
  change: (yaml: string) => string,
  changeTemplate: (yaml: string) => string = (yaml) => yaml,
) {
  const folder = join(place.dir, name);
  mkdirSync(folder);
  cpSync(EDGES, folder, { recursive: true });
  const file = join(folder, "scenario.yaml");
  writeFileSync(file, change(readFileSync(file, "utf8")));
  const template = join(folder, "template.yaml");
  writeFileSync(template, changeTemplate(readFileSync(template, "utf8")));
  const out = join(folder, "run");
  const env = { PARTNER: "partner-key-0123456789", VISITOR: "visitor" };
  const ended = await place.start(["run", folder, "--out", out], env).ended;
  const text = readFileSync(join(out, "result.json"), "utf8");
  return { ...ended, result: RESULT_SCHEMA.parse(JSON.parse(text)) };
}

/** Layer of each load that did not arrive, from the sentences. */
const layersIn = (sentences: readonly string[]) =>
  Object.fromEntries(
    sentences.map((text) => [
      / of (\w+) \(/.exec(text)?.[1] ?? "",
      [...text.matchAll(/ refused by ([\w.]+) \(/g)].map(([, by]) => by).join("+"),
    ]),
  );

const only = (yaml: string, ...loads: string[]): string =>
  loads.reduce((text, load) => {
    return text.replace(new RegExp(`\n  ${load}:[^]*?(?=\n  \\w+:|\nobserve:)`), "");
  }, yaml);

describe("load that an edge turns away", () => {
  test("is INVALID by the layer that the access log names; what is the shop's own is not", async () => {
    const { code, result, out } = await run("logged", (yaml) => yaml);
    expect([code, result.verdict]).toEqual([3, "invalid"]);
    expect(layersIn(result.invalid)).toEqual({
      bot: "waf",
      keyless: "gateway.key",
      greedy: "gateway.quota",
      nobody: "authorizer",
      denied: "authorizer",
    });
    const [first = ""] = result.invalid;
    expect(first).toMatch(
      new RegExp(
        `^40 of 40 arrivals of bot \\(100.00 %\\) never reached the system: 40 refused by waf \\(the web application firewall\\), for example request ${UUID}; let the run's addresses`,
      ),
    );
    const { client, logged } = result.throttles;
    expect(client).toMatchObject({ waf: 40, "gateway.key": 40, authorizer: 80, application: 40 });
    expect(client["gateway.quota"]).toBe(20);
    expect(result.errors).toEqual({ status: 40 });
    expect(logged).toEqual({ answered: 320, lines: 320 });
    expect(out.replaceAll(/\s+/g, " ")).toMatch(/refused .*40 by waf/);
  }, 120_000);

  test("is INVALID without an access log too, with what the answers say", async () => {
    const silent = (yaml: string): string => yaml.replace(/ {2}access-log:.*\n/, "");
    const { code, result } = await run("silent", silent);
    expect(code).toBe(3);
    expect(layersIn(result.invalid)).toEqual({
      bot: "edge",
      keyless: "edge",
      greedy: "gateway.quota",
      nobody: "authorizer",
      denied: "authorizer",
    });
    expect([result.throttles.client.application, result.errors]).toEqual([40, { status: 40 }]);
  }, 120_000);

  test("is data where a criterion asks about its layer", async () => {
    const asked = (yaml: string): string =>
      only(yaml, "keyless", "greedy", "nobody", "denied").replace(
        "accept:\n",
        "accept:\n  - bot.throttles.waf == 40 primary\n",
      );
    const { code, result } = await run("asked", asked);
    expect([code, result.verdict, result.invalid]).toEqual([0, "pass", []]);
  }, 120_000);

  test("stops the run in the middle of a fault, which is undone", async () => {
    const crowd = (yaml: string): string =>
      only(yaml, "fine", "keyless", "greedy", "nobody", "denied", "own403", "own429")
        .replace("badbot/1", "crowd/1")
        .replace("rate: { at: 20/s }", "rate: { at: 60/s }")
        .replace("phases: [{ open: 2s }]", "phases: [{ before: 500ms }, { gone: 25s }]")
        .replace("fine.dropped == 0", "bot.dropped >= 0")
        .concat(
          "brake: { errors: 50%, within: 2s, of: 20 }\n",
          'faults:\n  - reserved-concurrency: { function: "{{outputs.ShopArn}}", to: 500 }\n    during: gone\n',
        );
    const { code, result } = await run("crowd", crowd);
    expect([code, result.verdict]).toEqual([3, "invalid"]);
    expect(result.stopped).toMatch(
      /^condition: brake: \d+ % of the last \d+ answers were refused before they reached the system/,
    );
    expect(result.faults).toMatchObject([{ injected: true, undone: true, verified: true }]);
    expect(result.invalid[0]).toContain("refused by waf");
  }, 120_000);

  /** Answers as a team may have made them: other statuses, one of them a good one, other words. */
  const changed = (yaml: string): string =>
    yaml.replace(
      "\nResources:\n",
      `\nResources:
  Quota:
    Type: AWS::ApiGateway::GatewayResponse
    Properties:
      RestApiId: !Ref Api
      ResponseType: QUOTA_EXCEEDED
      StatusCode: "402"
      ResponseTemplates: { application/json: '{"why":"$context.error.responseType"}' }
  Blocked:
    Type: AWS::ApiGateway::GatewayResponse
    Properties: { RestApiId: !Ref Api, ResponseType: WAF_FILTERED, StatusCode: "200" }
  Others:
    Type: AWS::ApiGateway::GatewayResponse
    Properties: { RestApiId: !Ref Api, ResponseType: DEFAULT_4XX, StatusCode: "400" }
`,
    );

  test("is told apart by the access log where a team has changed every answer", async () => {
    const { code, result } = await run("changed", (yaml) => yaml, changed);
    expect(code).toBe(3);
    expect(layersIn(result.invalid)).toEqual({
      bot: "waf",
      keyless: "gateway.key",
      greedy: "gateway.quota",
      nobody: "authorizer",
      denied: "authorizer",
    });
    const { client } = result.throttles;
    expect(client).toMatchObject({ waf: 40, "gateway.key": 40, authorizer: 80, application: 40 });
    expect([client["gateway.quota"], result.errors]).toEqual([20, { status: 40 }]);
  }, 120_000);
});
