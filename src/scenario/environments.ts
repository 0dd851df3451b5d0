// Which environment a scenario is read for, and what the others are: whose host is it, otherwise?
import { GatecrashError } from "../core/error.ts";
import { isLoopback } from "../core/loopback.ts";
import { didYouMean } from "../core/nearest.ts";
import type { EnvironmentSpec, IdentitySpec, LogsSpec } from "../core/scenario.ts";
import type { RawEnvironment, RawIdentity, RawLogs } from "./environment-schema.ts";
import { replaceReferences } from "./refs.ts";
import type { RawScenario } from "./schema.ts";
import type { Source } from "./source.ts";

export interface Environments {
  /** Null for `local`. */
  readonly account: EnvironmentSpec | null;
  readonly others: readonly EnvironmentSpec[];
}

/** Throws GatecrashError("usage") when there is no such environment. */
export function chooseEnvironment(
  source: Source,
  raw: RawScenario,
  asked: string,
  variant: string | null,
): Environments {
  const environments = raw.environments ?? {};
  const names = Object.keys(environments);
  if (asked !== "local" && !names.includes(asked))
    throw new GatecrashError("usage", `there is no environment \`${asked}\``, {
      hint: didYouMean(asked, ["local", ...names]) ?? "use --env local",
      place: source.place(["environments"]),
    });
  const all = Object.entries(environments).map(([name, one]) => {
    return environmentOf(source, name, one, variant);
  });
  return {
    account: all.find(({ name }) => name === asked) ?? null,
    others: all.filter(({ name }) => name !== asked),
  };
}

function environmentOf(
  source: Source,
  name: string,
  raw: RawEnvironment,
  variant: string | null,
): EnvironmentSpec {
  const at = ["environments", name];
  const endpoint = raw.endpoint ?? null;
  if (endpoint !== null && !isLoopback(endpoint))
    source.fail(
      [...at, "endpoint"],
      `${endpoint} is not on this machine`,
      "an endpoint is for rehearsals against a local AWS; without it, AWS's own are used",
    );
  const outputs = Object.entries(raw.outputs ?? {}).map(([kind, text]) => [
    kind,
    replaceReferences(text, (what) => (what === "variant" ? (variant ?? undefined) : undefined)),
  ]);
  const identities = Object.entries(raw.identities ?? {}).map(([purpose, identity]) => {
    return [purpose, identityOf(source, [...at, "identities", purpose], identity)];
  });
  if (raw.identities?.logs !== undefined && raw.logs === undefined)
    source.fail(
      [...at, "identities", "logs"],
      "who reads logs in another account is said, and not which account that is",
      'say it: logs: { account: "333333333333" }; in the environment\'s own, `observe` reads them',
    );
  return {
    name,
    account: raw.account,
    awsRegion: raw["aws-region"],
    outputs: Object.fromEntries(outputs) as EnvironmentSpec["outputs"],
    logs: raw.logs === undefined ? null : logsOf(source, at, raw, raw.logs),
    identities: Object.fromEntries(identities) as EnvironmentSpec["identities"],
    production: raw.production ?? false,
    endpoint,
  };
}

const LOG_GROUP = "source.logGroup";
/** What a rule that centralizes logs may put into the names of its copies, and we can fill in. */
const VARIABLES = [LOG_GROUP, "source.accountId", "source.region"];
const placeholder = (name: string): string => `\${${name}}`;

function logsOf(
  source: Source,
  environment: readonly string[],
  { account, "aws-region": region }: RawEnvironment,
  raw: RawLogs,
): LogsSpec {
  const at = [...environment, "logs"];
  const { groups = placeholder(LOG_GROUP), "aws-region": awsRegion = region } = raw;
  if (raw.account === account)
    source.fail([...at, "account"], "this is the environment's own: `observe` reads its logs");
  const names = [...groups.matchAll(/\$\{([^}]*)\}/g)].map(([, name = ""]) => name);
  const other = names.find((name) => !VARIABLES.includes(name));
  if (groups === "linked" && awsRegion !== region)
    source.fail([...at, "aws-region"], "a link is within one region: that of the environment");
  else if (other !== undefined)
    source.fail(
      [...at, "groups"],
      `${placeholder(other)} is not known here`,
      `write what it stands for; known are ${VARIABLES.map(placeholder).join(", ")}`,
    );
  else if (groups !== "linked" && !names.includes(LOG_GROUP))
    source.fail(
      [...at, "groups"],
      `each group has a copy of its own: ${placeholder(LOG_GROUP)} stands in its name`,
      "or write `linked`, where the account monitors the groups themselves",
    );
  return { account: raw.account, awsRegion, groups };
}

const HOUR_S = 3_600;
const SESSION_S = { least: 900, most: 43_200 };

function identityOf(source: Source, at: readonly string[], raw: RawIdentity): IdentitySpec {
  const { via = [], session } = raw;
  const sessionS = session === undefined ? HOUR_S : Math.round(session / 1e6);
  if (raw.role === undefined) {
    for (const key of ["external-id", "via", "web-identity", "session"] as const)
      if (raw[key] !== undefined)
        source.fail([...at, key], `${key} says how a role is taken, and there is no \`role\``);
  }
  if (sessionS < SESSION_S.least || sessionS > SESSION_S.most)
    source.fail([...at, "session"], "a session lasts from 15m to 12h");
  else if (via.length > 0 && sessionS > HOUR_S)
    source.fail([...at, "session"], "a role taken by way of another one lasts 1h at most");
  return {
    profile: raw.profile ?? null,
    roles: raw.role === undefined ? [] : [...via, raw.role],
    externalId: raw["external-id"] ?? null,
    webIdentityFile: raw["web-identity"] ?? null,
    sessionS,
  };
}
