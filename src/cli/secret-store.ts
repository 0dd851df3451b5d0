// Secrets of Parameter Store, read once and kept in memory only.
import { AwsFailure, type ControlPlane } from "../core/change.ts";
import { GatecrashError } from "../core/error.ts";

/** `ssm:/path` → value. */
export type SecretStore = ReadonlyMap<string, string>;

const SECRET = /\{\{\s*secret\.(ssm|secretsmanager):([^}\s]+)\s*\}\}/g;

/**
 * Every secret that these texts refer to. Parameter Store hands Secrets Manager's on by a name of
 * its own, so one service is enough. Rejects with GatecrashError("refused") for one that is not
 * there or may not be read.
 */
export async function readSecrets(
  texts: readonly string[],
  control: ControlPlane,
): Promise<SecretStore> {
  const wanted = new Map(
    texts.flatMap((text) =>
      [...text.matchAll(SECRET)].map(([, kind = "", name = ""]) => [
        `${kind}:${name}`,
        kind === "ssm" ? name : `/aws/reference/secretsmanager/${name}`,
      ]),
    ),
  );
  const store = new Map<string, string>();
  for (const [key, Name] of wanted) store.set(key, await read(key, Name, control));
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
