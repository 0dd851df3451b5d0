// Which variant a scenario is read for.
import { GatecrashError } from "../core/error.ts";
import { didYouMean } from "../core/nearest.ts";
import type { Expect } from "../core/scenario.ts";
import { existingFile } from "./reading.ts";
import type { RawScenario, RawVariant } from "./schema.ts";
import type { Source } from "./source.ts";

export interface ChosenVariant {
  readonly variant: string | null;
  readonly template: string | null;
  readonly expect: Expect | null;
  readonly resends: NonNullable<RawVariant["resend"]>;
}

/** Throws GatecrashError("usage") when the choice is open or names nothing. */
export function chooseVariant(
  source: Source,
  raw: RawScenario,
  asked: string | null,
): ChosenVariant {
  const variants = raw.variants ?? {};
  const names = Object.keys(variants);
  const variant = asked ?? (names.length === 1 ? names[0]! : null);
  if (variant === null && names.length > 1)
    throw new GatecrashError("usage", `this scenario has several variants: ${names.join(", ")}`, {
      hint: `add --variant ${names[0]}, or run --all`,
      place: source.keyPlace(["variants"]),
    });
  if (variant !== null && !names.includes(variant))
    throw new GatecrashError("usage", `there is no variant \`${variant}\``, {
      hint: didYouMean(variant, names) ?? "this scenario has no variants",
      place: source.place(["variants"]),
    });
  const template = templateOf(source, raw, variant);
  const chosen = variant === null ? {} : variants[variant]!;
  return { variant, template, expect: expectOf(chosen), resends: chosen.resend ?? {} };
}

/** All templates that the file names must exist, also those of the other variants. */
function templateOf(source: Source, raw: RawScenario, variant: string | null): string | null {
  let found: string | null = null;
  if (raw.template !== undefined) found = existingFile(source, ["template"], raw.template);
  for (const [name, { template, resend }] of Object.entries(raw.variants ?? {})) {
    for (const load of Object.keys(resend ?? {}))
      if (!Object.hasOwn(raw.loads, load))
        source.fail(
          ["variants", name, "resend", load],
          `unknown load \`${load}\``,
          didYouMean(load, Object.keys(raw.loads)),
        );
    if (template === undefined) continue;
    const file = existingFile(source, ["variants", name, "template"], template);
    if (name === variant) found = file;
  }
  return found;
}

function expectOf(variant: RawVariant): Expect | null {
  const { expect } = variant;
  if (expect === undefined) return null;
  if (typeof expect === "string") return { verdict: expect, criterion: null };
  return { verdict: "fail", criterion: expect.fail };
}
