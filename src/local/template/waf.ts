// The web ACLs of a template, and which stage of a REST API each of them stands in front of.
import { GatecrashError } from "../../core/error.ts";
import { wafArnOf } from "./api-names.ts";
import type { Place } from "./names.ts";
import type { TemplateSource } from "./read-yaml.ts";
import type {
  AssociationResource,
  IpSetResource,
  RateBasedResource,
  WafRuleResource,
  WafStatementResource,
  WebAclResource,
} from "./schema-waf.ts";
import type { AddressOf, WafField, WafStatement, WebAclSpec } from "./waf-types.ts";

const WINDOW_S = 300;

export interface WafParts {
  readonly acls: ReadonlyMap<string, WebAclResource>;
  readonly sets: ReadonlyMap<string, IpSetResource>;
  readonly associations: ReadonlyMap<string, AssociationResource>;
}

export interface WafContext extends Place {
  readonly source: TemplateSource;
  readonly scale: number;
}

/** By the ARN of the stage that they protect. Throws a `scenario` error for a name of nothing. */
export function webAclsOf(parts: WafParts, context: WafContext): ReadonlyMap<string, WebAclSpec> {
  const cidrs = new Map(
    [...parts.sets].map(([id, { Properties }]) => [
      wafArnOf("ipset", id, Properties.Name, context),
      Properties.Addresses,
    ]),
  );
  const acls = new Map(
    [...parts.acls].map(([id, { Properties }]): [string, WebAclSpec] => {
      const arn = wafArnOf("webacl", id, Properties.Name, context);
      const fail = failing(id, "Rules", context.source);
      const rules = [...(Properties.Rules ?? [])]
        .sort((a, b) => a.Priority - b.Priority)
        .map((rule) => ({
          name: rule.Name,
          action: "Block" in rule.Action ? "BLOCK" : "Allow" in rule.Action ? "ALLOW" : "COUNT",
          statement: ruleStatementOf(rule, { cidrs, scale: context.scale, fail }),
        })) as WebAclSpec["rules"];
      return [
        arn,
        { arn, defaultAction: "Block" in Properties.DefaultAction ? "BLOCK" : "ALLOW", rules },
      ];
    }),
  );
  return new Map(
    [...parts.associations].map(([id, { Properties }]) => {
      const { ResourceArn: stage, WebACLArn: arn } = Properties;
      const found = acls.get(arn) ?? failing(id, "WebACLArn", context.source)("no web ACL here");
      if (!/^arn:[\w-]+:apigateway:[\w-]+::\/restapis\/\w+\/stages\/\w+$/.test(stage))
        failing(id, "ResourceArn", context.source)("no stage of a REST API");
      return [stage, found];
    }),
  );
}

const failing =
  (id: string, property: string, source: TemplateSource) =>
  (message: string): never => {
    const place = source.placeOf(["Resources", id, "Properties", property]);
    throw new GatecrashError("scenario", `${property}: ${message}`, { place });
  };

interface Known {
  readonly cidrs: ReadonlyMap<string, readonly string[]>;
  readonly scale: number;
  fail(message: string): never;
}

function ruleStatementOf({ Name, Statement }: WafRuleResource, known: Known): WafStatement {
  const { RateBasedStatement: rate, ...others } = Statement;
  const inRule: Known = { ...known, fail: (message) => known.fail(`rule ${Name}: ${message}`) };
  if (rate === undefined) return statementOf(others, inRule);
  if (Object.values(others).some((each) => each !== undefined)) inRule.fail("two statements");
  return rateOf(rate, inRule);
}

function rateOf(rate: RateBasedResource, known: Known): WafStatement {
  const { AggregateKeyType: key = "IP", ForwardedIPConfig: header } = rate;
  if (key === "FORWARDED_IP" && header === undefined) known.fail("no ForwardedIPConfig");
  const scope = rate.ScopeDownStatement;
  return {
    kind: "rate",
    limit: Math.max(1, Math.round(rate.Limit * known.scale)),
    windowS: rate.EvaluationWindowSec ?? WINDOW_S,
    by: key === "CONSTANT" ? "all" : addressOf(key === "IP" ? undefined : header),
    scope: scope === undefined ? null : statementOf(scope, known),
  };
}

const addressOf = (given: { readonly HeaderName: string } | undefined): AddressOf =>
  given === undefined ? "connection" : { header: given.HeaderName.toLowerCase() };

function statementOf(given: WafStatementResource, known: Known): WafStatement {
  const here = Object.entries(given).filter(([, value]) => value !== undefined);
  if (here.length !== 1) known.fail("exactly one statement at each place");
  const { AndStatement, OrStatement, NotStatement } = given;
  const { ByteMatchStatement: bytes, IPSetReferenceStatement: reference } = given;
  if (bytes !== undefined)
    return {
      kind: "bytes",
      field: fieldOf(bytes.FieldToMatch),
      how: bytes.PositionalConstraint,
      text: bytes.SearchString,
      lowercase: (bytes.TextTransformations ?? []).some(({ Type }) => Type === "LOWERCASE"),
    };
  if (reference !== undefined) {
    const cidrs = known.cidrs.get(reference.Arn) ?? known.fail("no IP set here has this Arn");
    return { kind: "address", cidrs, of: addressOf(reference.IPSetForwardedIPConfig) };
  }
  if (NotStatement !== undefined)
    return { kind: "not", statement: statementOf(NotStatement.Statement, known) };
  const several = AndStatement ?? OrStatement;
  return {
    kind: AndStatement === undefined ? "or" : "and",
    statements: (several?.Statements ?? []).map((one) => statementOf(one, known)),
  };
}

type Bytes = NonNullable<WafStatementResource["ByteMatchStatement"]>;

function fieldOf(field: Bytes["FieldToMatch"]): WafField {
  if ("SingleHeader" in field) {
    return { kind: "header", name: field.SingleHeader.Name.toLowerCase() };
  }
  if ("SingleQueryArgument" in field)
    return { kind: "argument", name: field.SingleQueryArgument.Name.toLowerCase() };
  if ("UriPath" in field) return { kind: "path" };
  if ("QueryString" in field) return { kind: "query" };
  return { kind: "Method" in field ? "method" : "body" };
}
