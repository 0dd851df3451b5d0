// The grammar of a criterion as a tree; `parseCriterion` makes it, `report/` judges it.
import type { ErrorPlace } from "./error.ts";

export type Comparison = "<=" | "<" | ">=" | ">" | "==";

export interface Criterion {
  /** As written, without `primary`. */
  readonly text: string;
  readonly operand: Operand;
  readonly op: Comparison;
  readonly expr: Expression;
  readonly primary: boolean;
  /** The line of a file that it stands on, where there is one: for complaints. */
  readonly place?: ErrorPlace;
}

export interface Operand {
  /** `shopper.checkout.warm` → ["shopper", "checkout", "warm"]. */
  readonly names: readonly string[];
  /** `function(CheckoutArn)` → "CheckoutArn". */
  readonly function: string | null;
  /** `p99`, `service.p95`, `errors.rate`, `throttles.lambda.rate`, … `recovery` has `argument`. */
  readonly measure: string;
  /** `recovery(zero)` → "zero". */
  readonly argument: string | null;
  readonly window: WindowRef | null;
}

export type WindowRef =
  | { readonly kind: "during"; readonly name: string }
  | { readonly kind: "within"; readonly us: number; readonly after: string };

/** Units: `us` (times, integer µs), `ratio` (percent ÷ 100), `count`, `usd`, `number`. */
export type Unit = "us" | "ratio" | "count" | "usd" | "number";

export type Expression =
  | { readonly kind: "number"; readonly value: number; readonly unit: Unit; readonly text: string }
  | { readonly kind: "scaled"; readonly factor: number; readonly operand: Operand }
  | { readonly kind: "max"; readonly left: Expression; readonly right: Expression }
  | { readonly kind: "quota"; readonly share: number; readonly text: string };

/** Those of a limit; none where it is a number. */
export function operandsOf(expr: Expression): Operand[] {
  if (expr.kind === "scaled") return [expr.operand];
  return expr.kind === "max" ? [...operandsOf(expr.left), ...operandsOf(expr.right)] : [];
}

/** All of a criterion, the left one first. */
export const operandsIn = ({ operand, expr }: Criterion): Operand[] => [
  operand,
  ...operandsOf(expr),
];
