// Schema complaints as errors that name file, line and what is known there.
import type { z } from "zod";
import { GatecrashError } from "../../core/error.ts";
import { didYouMean } from "../../core/nearest.ts";
import type { Path, TemplateSource } from "./read-yaml.ts";

/** The value in its schema's shape; the first complaint is thrown, placed below `path`. */
export function check<T>(
  source: TemplateSource,
  schema: z.ZodType<T>,
  value: unknown,
  path: Path,
): T {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0]!;
  const inside = [...path, ...issue.path.filter((part) => typeof part !== "symbol")];
  if (issue.code === "unrecognized_keys") {
    const key = issue.keys[0] ?? "";
    const hint = didYouMean(key, knownKeys(schema, issue.path));
    throw new GatecrashError(
      "scenario",
      `${[...inside, key].join(".")} is not modelled by local AWS`,
      {
        place: source.placeOf([...inside, key]),
        ...(hint === undefined ? {} : { hint }),
      },
    );
  }
  const isMissing = issue.code === "invalid_type" && issue.message.endsWith("received undefined");
  const problem = isMissing ? " is missing" : `: ${issue.message}`;
  const hint = wayOut(inside);
  throw new GatecrashError("scenario", `${inside.join(".")}${problem}`, {
    place: source.placeOf(inside),
    ...(hint === undefined ? {} : { hint }),
  });
}

/** How to leave out of local AWS what deploys on AWS and is not modelled. */
function wayOut(inside: readonly PropertyKey[]): string | undefined {
  const [, , , kind, event, ...rest] = inside.map(String);
  if (kind === "Events" && rest.join() === "Type")
    return `Metadata: { Gatecrash: { IgnoreEvents: [${event}] } } of the function leaves it out`;
  return kind === "Runtime" ? `${LEAVE_OUT} a resource out of local AWS` : undefined;
}

export const LEAVE_OUT = "Metadata: { Gatecrash: { Local: false } } leaves";

interface Shaped {
  readonly shape?: { readonly [key: string]: Shaped };
  readonly unwrap?: () => Shaped;
  readonly valueType?: Shaped;
  readonly element?: Shaped;
}

/** The keys that the object schema at `path` knows. */
function knownKeys(schema: unknown, path: readonly PropertyKey[]): string[] {
  let at: Shaped | undefined = schema as Shaped;
  for (const part of path) {
    at = bare(at);
    at = at?.shape?.[String(part)] ?? at?.valueType ?? at?.element;
  }
  return Object.keys(bare(at)?.shape ?? {});
}

function bare(schema: Shaped | undefined): Shaped | undefined {
  let at = schema;
  while (at !== undefined && at.shape === undefined && typeof at.unwrap === "function")
    at = at.unwrap();
  return at;
}
