// Small schemas that the template's resources are made of.
import { z } from "zod";

/** CloudFormation lets a number be written as text, as parameters always are. */
export const whole = (low: number, high: number) =>
  z.preprocess(
    (value) => (typeof value === "string" && /^\d+$/.test(value) ? Number(value) : value),
    z.number().int().min(low).max(high),
  );
export const text = z.string().min(1);
/** Allowed because it changes nothing that is modelled. */
export const ignored = z.unknown().optional();

/** A rate, also a broken one, also as the text that parameters make of it. */
export const ratePerSecond = z.preprocess(
  (value) => (typeof value === "string" && value.trim() !== "" ? Number(value) : value),
  z.number().min(0).max(1_000_000),
);

/** What may stand around any resource's properties. */
export const around = {
  Metadata: z.looseObject({}).optional(),
  DependsOn: ignored,
  DeletionPolicy: ignored,
  UpdateReplacePolicy: ignored,
};

/** A truth value, also as the text that parameters make of it. */
export const truth = z.preprocess(
  (value) => (value === "true" ? true : value === "false" ? false : value),
  z.boolean(),
);
