// Secrets of Parameter Store, read once and kept in memory only.
import { AwsFailure, type ControlPlane } from "../core/change.ts";
import { GatecrashError } from "../core/error.ts";

/** `ssm:/path` → value. */
export type SecretStore = ReadonlyMap<string, string>;

const SECRET = /\{\{\s*secret\.(ssm|secretsmanager):([^}\s]+)\s*\}\}/g;

export interface NamedSecret {
  readonly kind: string;
  readonly name: string;
  /** Parameter Store hands Secrets Manager's on by a name of its own: one service is enough. */
  readonly parameter: string;
}

/** Each secret that these texts refer to, once. */
export function secretsNamed(texts: readonly string[]): NamedSecret[] {
  const found = texts.flatMap((text) => [...text.matchAll(SECRET)]);
  const named = found.map(([, kind = "", name = ""]): [string, NamedSecret] => {
    const parameter = kind === "ssm" ? name : `/aws/reference/secretsmanager/${name}`;
    return [`${kind}:${name}`, { kind, name, parameter }];
  });
  return [...new Map(named).values()];
}

/** Their values. Rejects with GatecrashError("refused") for one that cannot be read. */
export async function readSecrets(
  texts: readonly string[],
  control: ControlPlane,
): Promise<SecretStore> {
  const store = new Map<string, string>();
  for (const { kind, name, parameter } of secretsNamed(texts)) {
    const key = `${kind}:${name}`;
    store.set(key, await read(key, parameter, control));
  }
  return store;
}

async function read(key: string, Name: string, control: ControlPlane): Promise<string> {
  try {
    const input = { Name, WithDecryption: true };
    const { Parameter: found } = await control.call("ssm", "GetParameter", input);
    const value: unknown =
      typeof found === "object" && found !== null && Reflect.get(found, "Value");
    if (typeof value === "string") return value;
    throw new AwsFailure("NoValue", "the parameter has no value", "", 200);
  } catch (cause) {
    if (!(cause instanceof AwsFailure)) throw cause;
    throw new GatecrashError("refused", `the secret ${key} cannot be read: ${cause.name}`, {
      hint: "is it in this account and region, and may the load identity read and decrypt it?",
      cause,
    });
  }
}
