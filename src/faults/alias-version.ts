// An alias is moved to a version that differs in one field, published for that, and back again.
import { isDeepStrictEqual } from "node:util";
import type { Call, Change, Fault, Json, Looks } from "../core/change.ts";
import { GatecrashError } from "../core/error.ts";

export interface AliasSpec {
  readonly kind: string;
  readonly name: string;
  /** The function's own ARN. */
  readonly function: string;
  readonly alias: string;
}

type Answer = { readonly [key: string]: unknown };

const VERSION = "FunctionVersion";
const WEIGHTS = "RoutingConfig.AdditionalVersionWeights";
/** Until it is published it has no number. */
const NOT_YET = "a version published for it";

/** `latest`: the change of `$LATEST` that the version is published from. */
export function aliasVersion(spec: AliasSpec, latest: Fault): Fault {
  const { name, alias, function: arn } = spec;
  const FunctionName = arn.split(":").at(-1) ?? "";
  const Description = `gatecrash, for the fault ${name}`;
  return {
    ...moved(spec, FunctionName, NOT_YET),
    // `$LATEST` is changed for a moment as well: both are to be allowed.
    resources: [`${arn}:${alias}`, arn],
    looks: looksAt(spec, FunctionName),
    stage: {
      base: latest,
      make: { service: "lambda", action: "PublishVersion", input: { FunctionName, Description } },
      into({ Version: version }) {
        if (typeof version === "string" && /^\d+$/.test(version))
          return moved(spec, FunctionName, version);
        throw new GatecrashError("aws", `fault ${name}: PublishVersion gave no version`);
      },
    },
  };
}

function moved(spec: AliasSpec, FunctionName: string, version: string): Fault {
  const { kind, name, alias, function: arn } = spec;
  const input = { FunctionName, Name: alias };
  const readBack = { action: "GetAlias", input, fields: [VERSION, WEIGHTS] };
  const move = (to: Json): Change => ({
    service: "lambda",
    action: "UpdateAlias",
    input: { ...input, [VERSION]: to },
    readBack,
  });
  return {
    kind,
    name,
    resources: [`${arn}:${alias}`],
    read: { service: "lambda", ...readBack },
    faulted: { [VERSION]: version },
    inject: (prior) => (prior[VERSION] === version ? [] : [move(version)]),
    undo(prior) {
      if (prior[WEIGHTS] !== undefined) throw shifting(spec);
      return prior[VERSION] === version ? [] : [move(prior[VERSION] ?? "")];
    },
    probe: {
      service: "lambda",
      action: "GetAlias",
      input,
      inForce: ({ output }) => output[VERSION] === version,
    },
    coldWave: arn,
    residue:
      `${version === NOT_YET ? NOT_YET : `version ${version}`} stays published, and nothing ` +
      "points to it; environments of the old version that ended meanwhile start cold",
  };
}

/** Before `$LATEST` is published: it is what the alias runs, and nothing is in the way. */
function looksAt(spec: AliasSpec, FunctionName: string): Looks {
  const { name, alias } = spec;
  const look = (action: string, more: Change["input"] = {}): Call => ({
    service: "lambda",
    action,
    input: { FunctionName, ...more },
  });
  return {
    calls: [
      look("GetAlias", { Name: alias }),
      look("ListProvisionedConcurrencyConfigs"),
      look("GetFunctionConfiguration", { Qualifier: alias }),
      look("GetFunctionConfiguration"),
    ],
    check([aliasNow = {}, provisioned = {}, invoked = {}, latest = {}]) {
      const { RoutingConfig: routing } = aliasNow as { RoutingConfig?: Answer };
      if (Object.keys(routing?.AdditionalVersionWeights ?? {}).length > 0) throw shifting(spec);
      refuseProvisioned(spec, provisioned, String(invoked.Version));
      const different = differences(invoked, latest);
      if (different.length === 0) return;
      const text =
        `fault ${name}: $LATEST of ${FunctionName} is not what ${alias} runs (version ` +
        `${invoked.Version}): ${different.join(", ")} differ`;
      throw new GatecrashError("refused", text, {
        hint: "what is published for the fault would put that in front of traffic; publish first",
      });
    },
  };
}

/** A new version has none of it: the fault would be one of capacity, too, and its undo slow. */
function refuseProvisioned({ name, alias }: AliasSpec, answer: Answer, version: string): void {
  const configs = (answer.ProvisionedConcurrencyConfigs ?? []) as { FunctionArn?: string }[];
  const held = configs.map(({ FunctionArn: arn = "" }) => arn.split(":").at(-1) ?? "");
  const by = held.find((qualifier) => qualifier === alias || qualifier === version);
  if (by === undefined) return;
  throw new GatecrashError("refused", `fault ${name}: ${by} has provisioned concurrency`, {
    hint: "moving the alias would throw that away; take it off first, or use another fault",
  });
}

/** What may differ between a version and `$LATEST` without being another function. */
const OWN_TO_VERSION = [
  ...["$metadata", "FunctionArn", "Version", "RevisionId", "LastModified", "Description"],
  ...["State", "StateReason", "StateReasonCode", "MasterArn", "RuntimeVersionConfig"],
  ...["LastUpdateStatus", "LastUpdateStatusReason", "LastUpdateStatusReasonCode"],
  ...["SnapStart", "ConfigSha256"],
];

/** Names alone: values may be secrets. */
function differences(a: Answer, b: Answer): string[] {
  const names = new Set([...Object.keys(a), ...Object.keys(b)]);
  return [...names]
    .filter((name) => !OWN_TO_VERSION.includes(name) && !isDeepStrictEqual(a[name], b[name]))
    .sort();
}

function shifting({ name, alias }: AliasSpec): GatecrashError {
  const text = `fault ${name}: ${alias} sends traffic to two versions by weight`;
  return new GatecrashError("refused", text, {
    hint: "a deployment is under way: wait until it is over",
  });
}
