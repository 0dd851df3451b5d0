// What looks like production is left alone, unless its account is named a second time.
import { GatecrashError } from "../core/error.ts";
import type { EnvironmentSpec } from "../core/scenario.ts";

export interface ProductionSigns {
  readonly environment: EnvironmentSpec;
  /** Hosts, stacks, stages, functions, roles: what → its name. */
  readonly names: readonly (readonly [what: string, name: string])[];
  readonly tags: { readonly [key: string]: string };
  /** `GATECRASH_PRODUCTION_ACCOUNTS`: account ids, separated by commas. */
  readonly accounts: string | undefined;
}

/** As a word of its own: `shop-prod`, `ShopProd`, `prod.shop.example`; not `product`. */
const PRODUCTION = /(?:^|[^a-z])(?:prod|production|prd)(?:[^a-z]|$)/i;
const HUMP = /(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])/g;

const isProduction = (name: string): boolean => PRODUCTION.test(name.replaceAll(HUMP, "-"));
/** Of a tag that says so by its key: `production=true`. */
const NO = /^(?:|false|no|0|none)$/i;
const TAG = /^(?:.*[:/-])?(?:env|environment|stage|tier)$/i;

/** Each sign once, as a person would say it; none = nothing speaks for production. */
export function productionSigns({ environment, names, tags, accounts }: ProductionSigns): string[] {
  const signs: string[] = [];
  if (environment.production) signs.push(`${environment.name} is declared production`);
  if (listedAccounts(accounts).includes(environment.account))
    signs.push(`account ${environment.account} is listed in GATECRASH_PRODUCTION_ACCOUNTS`);
  for (const [what, name] of [["environment", environment.name] as const, ...names])
    if (isProduction(name)) signs.push(`the ${what} is called ${name}`);
  for (const [key, value] of Object.entries(tags))
    if (TAG.test(key) ? isProduction(value) : isProduction(key) && !NO.test(value))
      signs.push(`it is tagged ${key}=${value}`);
  return [...new Set(signs)];
}

/** What is no account id would protect nothing, so it is an error. */
function listedAccounts(text = ""): string[] {
  const listed = text.split(/[\s,;]+/).filter((each) => each !== "");
  return listed.map((each) => {
    const id = each.replaceAll("-", "");
    if (/^\d{12}$/.test(id)) return id;
    throw new GatecrashError("refused", `GATECRASH_PRODUCTION_ACCOUNTS: ${each} is no account id`, {
      hint: "write ids of 12 digits, separated by commas",
    });
  });
}

/** Throws `refused` unless there is no sign, or the account was named a second time. */
export function refuseProduction(
  signs: readonly string[],
  account: string,
  yes: string | null,
): void {
  if (yes !== null && yes !== account)
    throw new GatecrashError("refused", `--yes-production ${yes}: the account is ${account}`, {
      hint: "name the account that is meant, or leave it out",
    });
  if (signs.length === 0 || yes === account) return;
  throw new GatecrashError("refused", `this looks like production: ${signs.join("; ")}`, {
    hint: `if it is meant, add --yes-production ${account}`,
  });
}
