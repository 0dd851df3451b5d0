// Throttles that the load met against those that the platform counted: why the two need not agree.
import { formatNumber } from "../core/format.ts";
import { isWithin } from "../core/outcome.ts";

export interface ThrottlesSeen {
  /** Attempts refused, by who refused them. */
  readonly client: { readonly [refuser: string]: number };
  /** Throttles metric by function name (our probes taken off), `account` beside them. */
  readonly platform: { readonly [name: string]: number };
  /** Attempts that did not end well, by reason. */
  readonly errors: { readonly [reason: string]: number };
  /** Whether an access log told refusals from other errors. */
  readonly accessLog: boolean;
}

/** Of unknown outcome: each may have been refused. */
const UNKNOWN = ["stale", "timeout", "reset", "parse", "unfinished"];

/** One sentence without full stop; "" where there is no metric, or neither side saw any. */
export function throttleDifference(seen: ThrottlesSeen): string {
  const counted = Object.entries(seen.platform).filter(([name]) => name !== "account");
  if (counted.length === 0) return "";
  const platform = counted.reduce((sum, [, count]) => sum + count, 0);
  const client = Object.entries(seen.client)
    .filter(([by]) => isWithin(by, "lambda"))
    .reduce((sum, [, count]) => sum + count, 0);
  if (platform === client) return platform === 0 ? "" : "as many as the load met";
  const many = formatNumber(Math.abs(platform - client));
  if (platform > client) return `${many} more than the load met: ${whyMore(seen).join("; ")}`;
  return `${many} fewer than the load met: ${WHY_FEWER}`;
}

const WHY_FEWER = "points not yet published when they were read, or a function not observed";

function whyMore({ errors, accessLog }: ThrottlesSeen): string[] {
  const unknown = UNKNOWN.reduce((sum, reason) => sum + (errors[reason] ?? 0), 0);
  const hidden = accessLog ? 0 : (errors.status ?? 0);
  return [
    "the metric counts every caller, in whole minutes",
    ...(hidden > 0
      ? [`without access log, ${formatNumber(hidden)} answers of an error status may hide some`]
      : []),
    ...(unknown > 0
      ? [`${formatNumber(unknown)} attempts of unknown outcome may have been refused`]
      : []),
  ];
}
