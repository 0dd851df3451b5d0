// The roles of accounts: who may take one, what it may do, and what of that it has done.
import { AwsError } from "../aws-error.ts";
import { type Need, refusal } from "./policy.ts";
import type { Role } from "./read-roles.ts";

/** What a role has asked for so far, each once. */
interface Used {
  readonly allowed: Map<string, Need>;
  readonly refused: Map<string, Need>;
}

/** Who takes a role, and with what. */
export interface Taker {
  /** `arn:aws:sts::…:assumed-role/…`, or of a service its name. */
  readonly principal: string;
  readonly kind: "aws" | "services" | "federated";
  readonly action: string;
  readonly context: { readonly [key: string]: string };
}

/** Enough for every run; after that, what is new is not remembered. */
const REMEMBERED_MAX = 10_000;

/** Without roles everybody may do everything. */
export class Roles {
  /** By account and name. */
  readonly #roles = new Map<string, Role>();
  readonly #used = new Map<string, Used>();
  readonly #accounts = new Set<string>();

  enforces(account: string): boolean {
    return this.#accounts.has(account);
  }

  /** By the ARN of a role, or of a session of it. */
  has(arn: string): boolean {
    return this.#roles.has(keyOf(arn));
  }

  /** In place of those of the same name. */
  put(account: string, roles: readonly Role[]): void {
    this.#accounts.add(account);
    for (const role of roles) this.#roles.set(`${account} ${role.name}`, role);
  }

  /** Throws AccessDeniedException. `session` is the ARN of a role's session. */
  check(session: string, needs: readonly Need[]): void {
    const name = nameIn(session);
    const { identity, boundary } = this.#roles.get(keyOf(session)) ?? {
      identity: [],
      boundary: null,
    };
    const used = this.#used.get(name) ?? { allowed: new Map(), refused: new Map() };
    this.#used.set(name, used);
    for (const need of needs) {
      const why = refusal({ identity, boundary }, need);
      const kept = why === null ? used.allowed : used.refused;
      if (kept.size < REMEMBERED_MAX) kept.set(`${need.action} ${need.resource}`, need);
      if (why !== null) throw denied(session, need, why);
    }
  }

  /** Throws AccessDenied when the role's trust policy does not name the taker. */
  checkTrust(roleArn: string, { principal, kind, action, context }: Taker): void {
    const trust = this.#roles.get(keyOf(roleArn))?.trust ?? [];
    const need = { action, resource: roleArn, context };
    const account = /^arn:aws[a-z-]*:(?:sts|iam)::(\d{12}):/.exec(principal)?.[1];
    // Who is trusted by name may; whom the account is trusted with, its own policies have to let.
    const own = this.#roles.get(keyOf(principal));
    const isLet = own === undefined || refusal(own, need) === null;
    const names = [
      principal,
      roleOf(principal),
      ...(isLet ? [`arn:aws:iam::${account}:root`] : []),
    ];
    const isTrusted = trust.some((statement) => {
      const isNamed = statement[kind].some((each) => names.includes(each));
      // A trust policy has no resource: it is the role's own.
      const identity = [{ ...statement, resources: ["*"] }];
      return isNamed && refusal({ identity, boundary: null }, need) === null;
    });
    if (!isTrusted)
      throw denied(principal, need, `because no resource-based policy allows the ${action} action`);
  }

  /** By role. */
  report(): { readonly [role: string]: { readonly allowed: Need[]; readonly refused: Need[] } } {
    return Object.fromEntries(
      [...this.#used].map(([name, { allowed, refused }]) => [
        name,
        { allowed: [...allowed.values()], refused: [...refused.values()] },
      ]),
    );
  }
}

const accountIn = (arn: string): string => arn.split(":")[4] ?? "";

/** `arn:aws:sts::1:assumed-role/x/session` and `arn:aws:iam::1:role/path/x` → `x`. */
const nameIn = (arn: string): string =>
  arn.split("/").at(arn.includes(":assumed-role/") ? 1 : -1) ?? "";

const keyOf = (arn: string): string => `${accountIn(arn)} ${nameIn(arn)}`;

/** `arn:aws:sts::1:assumed-role/x/session` → `arn:aws:iam::1:role/x`. */
const roleOf = (session: string): string =>
  session.replace(/^(arn:[^:]+):sts::(\d+):assumed-role\/([^/]+)\/.*$/, "$1:iam::$2:role/$3");

/** Services of AWS's JSON protocols refuse with another status than those of its REST ones. */
const BAD_REQUEST = ["logs", "ssm", "kinesis", "dynamodb", "secretsmanager"];

function denied(who: string, { action, resource }: Need, why: string): AwsError {
  const service = action.split(":")[0] ?? "";
  return new AwsError(
    service === "s3" ? "AccessDenied" : "AccessDeniedException",
    BAD_REQUEST.includes(service) ? 400 : 403,
    `User: ${who} is not authorized to perform: ${action} on resource: ${resource} ${why}`,
  );
}
