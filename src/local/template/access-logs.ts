// Where an API of a template writes its access log.
import { GatecrashError } from "../../core/error.ts";
import type { AccessLogSpec } from "./api-types.ts";
import type { Path, TemplateSource } from "./read-yaml.ts";

interface Settings {
  readonly DestinationArn: string;
  readonly Format: string;
}

/** Throws a `scenario` error where the destination is no log group; `at` is the settings' place. */
export function accessLogOf(
  settings: Settings | undefined,
  source: TemplateSource,
  at: Path,
): AccessLogSpec | null {
  if (settings === undefined) return null;
  const [, group] =
    /^arn:[^:]+:logs:[^:]*:[^:]*:log-group:([^:]+)/.exec(settings.DestinationArn) ?? [];
  if (group === undefined)
    throw new GatecrashError("scenario", "DestinationArn is no log group's ARN", {
      place: source.placeOf(at),
      hint: "write: !GetAtt <LogGroup>.Arn",
    });
  return { group, format: settings.Format.trim() };
}
