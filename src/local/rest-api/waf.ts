// A web ACL at work: the first rule that matches and does not merely count decides.
import { BlockList, isIPv4, isIPv6 } from "node:net";
import { type RequestWindow, requestWindow } from "../../model/request-window.ts";
import { type GatewayRequest, headerOf } from "../http-api/gateway-request.ts";
import { decodeText } from "../http-api/routes.ts";
import type { AddressOf, WafField, WafStatement, WebAclSpec } from "../template/waf-types.ts";

/** Addresses that a rate-based rule counts apart; AWS keeps 10,000 as well. */
const ADDRESSES_MAX = 10_000;
/** Of a body, what AWS WAF looks at in front of API Gateway by default. */
const BODY_BYTES_MAX = 16_384;

type Matches = (request: GatewayRequest) => boolean;

/** True: let it through. */
export function webAcl({ rules, defaultAction }: WebAclSpec): Matches {
  const compiled = rules.map(({ action, statement }) => ({ action, matches: compile(statement) }));
  return (request) => {
    // Each rule is asked until one decides; those after it do not count the request.
    for (const { action, matches } of compiled)
      if (matches(request) && action !== "COUNT") return action === "ALLOW";
    return defaultAction === "ALLOW";
  };
}

function compile(statement: WafStatement): Matches {
  switch (statement.kind) {
    case "rate":
      return rateOf(statement);
    case "address":
      return addressIn(statement.cidrs, statement.of);
    case "bytes":
      return bytesIn(statement);
    case "not": {
      const matches = compile(statement.statement);
      return (request) => !matches(request);
    }
    case "and": {
      const all = statement.statements.map(compile);
      return (request) => all.every((matches) => matches(request));
    }
    case "or": {
      const all = statement.statements.map(compile);
      return (request) => all.some((matches) => matches(request));
    }
  }
}

/** What it refuses counts too, so that a client must slow down before it is let in again. */
function rateOf(statement: Extract<WafStatement, { kind: "rate" }>): Matches {
  const { limit, windowS, by } = statement;
  const inScope = statement.scope === null ? () => true : compile(statement.scope);
  const windows = new Map<string, RequestWindow>();
  return (request) => {
    const key = by === "all" ? "" : addressOf(by, request);
    if (key === null || !inScope(request)) return false;
    let window = windows.get(key);
    if (window === undefined) {
      window = requestWindow(windowS);
      windows.set(key, window);
      const oldest = windows.keys().next().value;
      if (windows.size > ADDRESSES_MAX && oldest !== undefined) windows.delete(oldest);
    }
    return window.add(request.atEpochMs) > limit;
  };
}

function addressIn(cidrs: readonly string[], of: AddressOf): Matches {
  const list = new BlockList();
  for (const cidr of cidrs) {
    const [network = "", bits = ""] = cidr.split("/");
    list.addSubnet(network, Number(bits), isIPv4(network) ? "ipv4" : "ipv6");
  }
  return (request) => {
    const address = addressOf(of, request);
    return address !== null && list.check(address, isIPv4(address) ? "ipv4" : "ipv6");
  };
}

/** null: the header has no address, and nothing matches. */
function addressOf(of: AddressOf, request: GatewayRequest): string | null {
  if (of === "connection") return request.sourceIp;
  const first = headerOf(request, of.header).split(",")[0]?.trim() ?? "";
  return isIPv4(first) || isIPv6(first) ? first : null;
}

function bytesIn(statement: Extract<WafStatement, { kind: "bytes" }>): Matches {
  const { field, how, text, lowercase } = statement;
  return (request) => {
    const given = fieldOf(field, request);
    const value = lowercase ? given.toLowerCase() : given;
    switch (how) {
      case "EXACTLY":
        return value === text;
      case "STARTS_WITH":
        return value.startsWith(text);
      case "ENDS_WITH":
        return value.endsWith(text);
      case "CONTAINS":
        return value.includes(text);
    }
  };
}

function fieldOf(field: WafField, request: GatewayRequest): string {
  switch (field.kind) {
    case "header":
      return headerOf(request, field.name);
    case "argument": {
      const pairs = [...new URLSearchParams(request.query)];
      return pairs.find(([name]) => name.toLowerCase() === field.name)?.[1] ?? "";
    }
    case "path":
      return decodeText(request.path);
    case "query":
      return request.query;
    case "method":
      return request.method;
    case "body":
      return request.body.subarray(0, BODY_BYTES_MAX).toString("utf8");
  }
}
