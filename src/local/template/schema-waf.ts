// The part of AWS WAF that local AWS models: rates, addresses and texts in front of REST APIs.
import { isIP, isIPv4 } from "node:net";
import { z } from "zod";
import { around, ignored, text, whole } from "./schema-words.ts";

function isRange(range: string): boolean {
  const [address = "", bits = ""] = range.split("/");
  return isIP(address) > 0 && /^\d+$/.test(bits) && Number(bits) <= (isIPv4(address) ? 32 : 128);
}

const forwarded = z.strictObject({
  HeaderName: text,
  /** A request without an address in its header matches nothing here. */
  FallbackBehavior: z.literal("NO_MATCH"),
});
const none = z.strictObject({});

const fieldToMatch = z.union([
  z.strictObject({ SingleHeader: z.strictObject({ Name: text }) }),
  z.strictObject({ SingleQueryArgument: z.strictObject({ Name: text }) }),
  z.strictObject({ UriPath: none }),
  z.strictObject({ QueryString: none }),
  z.strictObject({ Method: none }),
  z.strictObject({ Body: z.looseObject({}) }),
]);

const byteMatch = z.strictObject({
  FieldToMatch: fieldToMatch,
  PositionalConstraint: z.enum(["EXACTLY", "STARTS_WITH", "ENDS_WITH", "CONTAINS"]),
  SearchString: text,
  TextTransformations: z
    .array(z.strictObject({ Priority: ignored, Type: z.enum(["NONE", "LOWERCASE"]) }))
    .optional(),
});
const ipSetReference = z.strictObject({
  Arn: text,
  IPSetForwardedIPConfig: forwarded.extend({ Position: z.literal("FIRST") }).optional(),
});

/** Exactly one of them. */
const statement = z.strictObject({
  ByteMatchStatement: byteMatch.optional(),
  IPSetReferenceStatement: ipSetReference.optional(),
  get AndStatement() {
    return z.strictObject({ Statements: z.array(statement).min(2) }).optional();
  },
  get OrStatement() {
    return z.strictObject({ Statements: z.array(statement).min(2) }).optional();
  },
  get NotStatement() {
    return z.strictObject({ Statement: statement }).optional();
  },
});

const rateBased = z.strictObject({
  Limit: whole(10, 2_000_000_000),
  EvaluationWindowSec: z
    .preprocess(Number, z.union([60, 120, 300, 600].map((each) => z.literal(each))))
    .optional(),
  AggregateKeyType: z.enum(["IP", "FORWARDED_IP", "CONSTANT"]).optional(),
  ForwardedIPConfig: forwarded.optional(),
  ScopeDownStatement: statement.optional(),
});

const rule = z.strictObject({
  Name: text,
  Priority: whole(0, 1_000_000),
  Action: z.union([
    z.strictObject({ Block: none }),
    z.strictObject({ Allow: none }),
    z.strictObject({ Count: none }),
  ]),
  Statement: statement.extend({ RateBasedStatement: rateBased.optional() }),
  VisibilityConfig: ignored,
});

export const WAF_RESOURCES = {
  "AWS::WAFv2::WebACL": z.strictObject({
    Type: z.literal("AWS::WAFv2::WebACL"),
    Properties: z.strictObject({
      Name: text.optional(),
      Scope: z.literal("REGIONAL"),
      DefaultAction: z.union([z.strictObject({ Allow: none }), z.strictObject({ Block: none })]),
      Rules: z.array(rule).optional(),
      VisibilityConfig: ignored,
      Description: ignored,
      Tags: ignored,
    }),
    ...around,
  }),
  "AWS::WAFv2::IPSet": z.strictObject({
    Type: z.literal("AWS::WAFv2::IPSet"),
    Properties: z.strictObject({
      Name: text.optional(),
      Scope: z.literal("REGIONAL"),
      IPAddressVersion: z.enum(["IPV4", "IPV6"]),
      Addresses: z.array(text.refine(isRange, "not an address range")),
      Description: ignored,
      Tags: ignored,
    }),
    ...around,
  }),
  "AWS::WAFv2::WebACLAssociation": z.strictObject({
    Type: z.literal("AWS::WAFv2::WebACLAssociation"),
    Properties: z.strictObject({ ResourceArn: text, WebACLArn: text }),
    ...around,
  }),
} as const;

export type WafStatementResource = z.infer<typeof statement>;
export type WafRuleResource = z.infer<typeof rule>;
export type RateBasedResource = z.infer<typeof rateBased>;
export type WebAclResource = z.infer<(typeof WAF_RESOURCES)["AWS::WAFv2::WebACL"]>;
export type IpSetResource = z.infer<(typeof WAF_RESOURCES)["AWS::WAFv2::IPSet"]>;
export type AssociationResource = z.infer<(typeof WAF_RESOURCES)["AWS::WAFv2::WebACLAssociation"]>;
