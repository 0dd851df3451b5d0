// A web ACL of a template; `scale` is applied.

export interface WebAclSpec {
  readonly arn: string;
  readonly defaultAction: "ALLOW" | "BLOCK";
  /** In the order in which they are asked. */
  readonly rules: readonly WafRule[];
}

export interface WafRule {
  readonly name: string;
  readonly action: "ALLOW" | "BLOCK" | "COUNT";
  readonly statement: WafStatement;
}

export type WafStatement =
  | {
      readonly kind: "rate";
      readonly limit: number;
      readonly windowS: number;
      readonly by: "all" | AddressOf;
      /** What is counted; null = every request. */
      readonly scope: WafStatement | null;
    }
  | { readonly kind: "address"; readonly cidrs: readonly string[]; readonly of: AddressOf }
  | {
      readonly kind: "bytes";
      readonly field: WafField;
      readonly how: "EXACTLY" | "STARTS_WITH" | "ENDS_WITH" | "CONTAINS";
      readonly text: string;
      readonly lowercase: boolean;
    }
  | { readonly kind: "and" | "or"; readonly statements: readonly WafStatement[] }
  | { readonly kind: "not"; readonly statement: WafStatement };

/** The connection's own address, or the first one in a header. */
export type AddressOf = "connection" | { readonly header: string };

export type WafField =
  | { readonly kind: "header" | "argument"; readonly name: string }
  | { readonly kind: "path" | "query" | "method" | "body" };
