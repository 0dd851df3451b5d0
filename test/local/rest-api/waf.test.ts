// A web ACL in front of a REST API: asked first, and told in answer and access log.
import { describe, expect, it } from "vitest";
import { webAcl } from "../../../src/local/rest-api/waf.ts";
import type { WafRule, WafStatement, WebAclSpec } from "../../../src/local/template/waf-types.ts";
import { NOW_MS } from "../http-api/gateway.ts";
import { formatOf, method, startRestGateway } from "./gateway.ts";

const ARN = "arn:aws:wafv2:us-east-1:000000000000:regional/webacl/acl/1";
const block = (statement: WafStatement, action: WafRule["action"] = "BLOCK"): WafRule => ({
  ...{ name: "rule", action, statement },
});
const acl = (...rules: WafRule[]): WebAclSpec => ({ arn: ARN, defaultAction: "ALLOW", rules });
const header = (name: string, text: string): WafStatement => ({
  ...{ kind: "bytes", field: { kind: "header", name }, how: "CONTAINS", text, lowercase: true },
});

const REQUEST = {
  ...{ method: "POST", path: "/prod/a%20b", pathInStage: "/a%20b", domainName: "d" },
  ...{ query: "Q=1&x=yes", protocol: "HTTP/1.1", sourceIp: "127.0.0.1" },
  headers: [
    ["User-Agent", "BadBot/1"],
    ["X-Forwarded-For", "10.1.2.3, 192.0.2.1"],
  ] as const,
  ...{ body: Buffer.from("<script>"), requestId: "r", atEpochMs: NOW_MS },
};
const cidrs = ["10.0.0.0/8", "2001:db8::/32"];
const bytes = (field: Extract<WafStatement, { kind: "bytes" }>["field"], text: string) =>
  ({ kind: "bytes", field, how: "EXACTLY", text, lowercase: false }) as const;

describe("a statement", () => {
  it.each<[string, WafStatement, boolean]>([
    ["text in a header", header("user-agent", "badbot"), true],
    ["other text", header("user-agent", "goodbot"), false],
    ["the decoded path", bytes({ kind: "path" }, "/prod/a b"), true],
    ["the query", bytes({ kind: "query" }, "Q=1&x=yes"), true],
    ["an argument, whatever its case", bytes({ kind: "argument", name: "q" }, "1"), true],
    ["the method", bytes({ kind: "method" }, "post"), false],
    ["the body", bytes({ kind: "body" }, "<script>"), true],
    ["the connection's address", { kind: "address", cidrs, of: "connection" }, false],
    [
      "the first address of a header",
      { kind: "address", cidrs, of: { header: "x-forwarded-for" } },
      true,
    ],
    ["no address at all", { kind: "address", cidrs, of: { header: "user-agent" } }, false],
    ["not", { kind: "not", statement: header("user-agent", "badbot") }, false],
    [
      "and",
      {
        kind: "and",
        statements: [bytes({ kind: "query" }, ""), bytes({ kind: "method" }, "POST")],
      },
      false,
    ],
    [
      "or",
      { kind: "or", statements: [bytes({ kind: "query" }, ""), bytes({ kind: "method" }, "POST")] },
      true,
    ],
  ])("about %s", (_, statement, matches) => {
    expect(webAcl(acl(block(statement)))(REQUEST)).toBe(!matches);
  });

  it("about a rate counts each address, refused requests too, within its window", () => {
    const of = { header: "x-forwarded-for" };
    const isLetIn = webAcl(
      acl(block({ kind: "rate", limit: 2, windowS: 60, by: of, scope: null })),
    );
    const from = (address: string, atS: number): boolean =>
      isLetIn({
        ...REQUEST,
        headers: [["X-Forwarded-For", address]],
        atEpochMs: NOW_MS + atS * 1_000,
      });
    expect([0, 1, 2, 59].map((atS) => from("10.0.0.1", atS))).toEqual([true, true, false, false]);
    expect([from("10.0.0.2", 59), from("no address", 59)]).toEqual([true, true]);
    // At 62 s the first three are out of the window, and the one at 59 s is still in.
    expect([from("10.0.0.1", 62), from("10.0.0.1", 63)]).toEqual([true, false]);
  });

  it("about a rate counts what is in its scope", () => {
    const scope = header("user-agent", "badbot");
    const isLetIn = webAcl(acl(block({ kind: "rate", limit: 1, windowS: 60, by: "all", scope })));
    const good = { ...REQUEST, headers: [] };
    expect([good, REQUEST, good, REQUEST].map(isLetIn)).toEqual([true, true, true, false]);
  });
});

it("the first rule that does not merely count decides, and then the default", () => {
  const bot = header("user-agent", "badbot");
  expect(webAcl(acl(block(bot, "COUNT")))(REQUEST)).toBe(true);
  expect(webAcl(acl(block(bot, "ALLOW"), block(bot)))(REQUEST)).toBe(true);
  expect(webAcl({ ...acl(block(bot, "COUNT")), defaultAction: "BLOCK" })(REQUEST)).toBe(false);
});

it("is asked before routing, and told in answer and access log", async () => {
  const names = ["error.responseType", "wafResponseCode", "waf.status", "waf.error", "webaclArn"];
  await using gateway = await startRestGateway({
    methods: [method("GET", "/a")],
    webAcl: acl(block(header("user-agent", "badbot"))),
    accessLog: { group: "g", format: formatOf(names) },
  });
  const bad = await gateway.ask("GET", "/prod/nowhere", ["User-Agent", "BadBot"]);
  expect([bad.status, bad.headers["x-amzn-errortype"], bad.body]).toEqual([
    ...[403, "ForbiddenException", '{"message":"Forbidden"}'],
  ]);
  expect((await gateway.ask("GET", "/prod/a")).status).toBe(200);
  expect(gateway.lines.map(({ message }) => Object.values(JSON.parse(message)))).toEqual([
    ["WAF_FILTERED", "WAF_BLOCK", "403", "Forbidden", ARN],
    ["-", "WAF_ALLOW", "200", "-", ARN],
  ]);
});
