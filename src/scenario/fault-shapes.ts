// The keys of every kind of fault. A new fault is one line here.
import type { z } from "zod";
import { countFromZero, object, ref } from "./scalars.ts";

export interface FaultShape {
  readonly schema: z.ZodType<{ readonly [key: string]: string | number | boolean }>;
  /** Keys that hold ARNs the fault writes to: they must be in `allow.change`. */
  readonly resources: readonly string[];
  /** Keys that are concurrencies or rates, which `scale` multiplies. */
  readonly scaled: readonly string[];
}

const TO =
  "Reserved concurrency while the fault lasts; 0 refuses everything. `scale` multiplies it.";

export const FAULT_SHAPES: { readonly [kind: string]: FaultShape } = {
  "reserved-concurrency": {
    schema: object({
      function: ref.describe("ARN of the function; must be in allow.change."),
      to: countFromZero.describe(TO),
    }).describe(
      "Sets a function's reserved concurrency, and puts back what it was, unset included.",
    ),
    resources: ["function"],
    scaled: ["to"],
  },
};
