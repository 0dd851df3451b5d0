// Names before a measure → which rows of the tables are meant.
import type { Operand } from "../core/criterion.ts";
import { GatecrashError } from "../core/error.ts";
import type { PlanFile } from "../core/facts.ts";
import { didYouMean } from "../core/nearest.ts";
import { versionOfName } from "../core/version-name.ts";
import { COLD, type PlatformIndex, UNJOINED } from "./platform-index.ts";

/** What an operand's names choose; absent = everything. */
export interface Selection {
  /** By load code. */
  readonly loads: readonly boolean[];
  /** By load code, then route code; null = every route. */
  readonly routes: readonly (readonly boolean[])[] | null;
  /** Arm code, −1 = every arm. */
  readonly arm: number;
  /** The recorded system's answers in place of ours. */
  readonly recorded: boolean;
  readonly start: "cold" | "warm" | null;
  /** `8` for `v8`, `$LATEST` for `vlatest`. */
  readonly version: string | null;
  /** ARN or name of the function, for `function(X)`. */
  readonly function: string | null;
  readonly account: boolean;
}

/** What of a plan has names. */
type Named = Pick<PlanFile, "loads" | "arms" | "functions">;

/** Throws `scenario` for a name that the plan does not know. */
export function selectionOf(plan: Named, operand: Operand): Selection {
  const arms = plan.arms;
  let loads: number[] | null = null;
  let routes: (readonly boolean[])[] | null = null;
  let arm = -1;
  let start: Selection["start"] = null;
  let version: string | null = null;
  let account = false;
  let recorded = false;
  for (const name of operand.names) {
    const load = plan.loads.findIndex((candidate) => candidate.name === name);
    const withRoute = plan.loads.map((candidate) => candidate.routes.map((r) => r === name));
    if (load >= 0) loads = [...(loads ?? []), load];
    else if (name === "cold" || name === "warm") start = name;
    else if (name === "account") account = true;
    else if (name === "recorded") recorded = true;
    else if (arms.includes(name)) arm = arms.indexOf(name);
    else if (versionOfName(name) !== null) version = versionOfName(name);
    else if (withRoute.some((list) => list.includes(true))) routes = withRoute;
    else throw unknownName(plan, name);
  }
  const chosen = loads;
  return {
    loads: plan.loads.map(
      (_, code) =>
        (chosen === null || chosen.includes(code)) &&
        (routes === null || routes[code]!.includes(true)),
    ),
    routes,
    arm,
    recorded,
    start,
    version,
    account,
    function: operand.function === null ? null : functionOf(plan, operand.function),
  };
}

function functionOf(plan: Named, output: string): string {
  const arn = plan.functions[output];
  if (arn !== undefined) return arn;
  const known = Object.keys(plan.functions);
  throw new GatecrashError("scenario", `function(${output}): no function of that output`, {
    hint: didYouMean(output, known) ?? "`observe:` lists the functions of a run",
  });
}

function unknownName(plan: Named, name: string): GatecrashError {
  const known = [
    ...plan.loads.flatMap((load) => [load.name, ...load.routes.slice(1)]),
    ...plan.arms.filter((arm) => arm !== ""),
    ...["cold", "warm", "account", "recorded"],
  ];
  return new GatecrashError("scenario", `unknown name \`${name}\``, {
    hint: didYouMean(name, known) ?? "names are loads, routes and arms",
  });
}

/** `arn:…:function:checkout:live` and `checkout` name the same function. */
export function functionName(arn: string): string {
  return /:function:([^:]+)/.exec(arn)?.[1] ?? arn;
}

/** A test of what an attempt was joined with (`join`, `saidBy`) against cold, warm, version. */
export function reportFilter(
  selection: Selection,
  platform: PlatformIndex,
): ((report: number) => boolean) | null {
  const { start, version } = selection;
  if (start === null && version === null) return null;
  const versionCode = version === null ? -1 : platform.versions.find(version);
  return (report) => {
    if (version !== null && platform.versionOf(report) !== versionCode) return false;
    if (start === null) return true;
    if (report < 0) return false;
    const began = platform.start[report] ?? UNJOINED;
    // `warm` is whatever did not wait for an init: provisioned environments included.
    return (began === COLD) === (start === "cold");
  };
}
