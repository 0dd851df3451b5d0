// The authorizer of an http load, made in the thread that sends, from references to secrets.
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { serviceUrl } from "../aws/endpoint.ts";
import type { Credentials } from "../aws/sigv4.ts";
import { GatecrashError } from "../core/error.ts";
import type { AuthSpec, Scenario } from "../core/scenario.ts";
import type { Authorizer } from "../targets/auth/authorizer.ts";
import { cognitoToken, oauthToken } from "../targets/auth/grants.ts";
import { iamAuthorizer } from "../targets/auth/iam.ts";
import { type Token, tokenAuthorizer } from "../targets/auth/token.ts";

export interface AuthPorts {
  readonly endpoint: string;
  readonly region: string;
  readonly nowMs: () => number;
  /** Closes references to secrets. */
  readonly secretsIn: (text: string) => string;
  readonly credentials: () => Promise<Credentials>;
  /** Of requests of tokens. */
  readonly userAgent: string;
  /** Where commands are run. */
  readonly dir: string;
}

/** Rejects with GatecrashError("refused") when no token can be had. */
export async function loadAuthorizer(auth: AuthSpec, ports: AuthPorts): Promise<Authorizer | null> {
  const { nowMs, secretsIn: close, region, endpoint, userAgent } = ports;
  if (auth.kind === "static") return null; // a header like any other
  if (auth.kind === "iam") {
    const { service } = auth;
    return iamAuthorizer({ service, region, nowMs, credentials: ports.credentials });
  }
  const { header } = auth;
  const prefix = header.toLowerCase() === "authorization" ? "Bearer " : "";
  if (auth.kind === "command") {
    const fetch = () => commandToken(auth.argv, ports);
    return tokenAuthorizer({ header, prefix, fetch, nowMs, everyMs: auth.everyUs / 1_000 });
  }
  const fetch = (): Promise<Token> =>
    auth.kind === "oauth"
      ? oauthToken(
          {
            userAgent,
            ...{ tokenUrl: auth.tokenUrl, scope: auth.scope, audience: auth.audience },
            ...{ clientId: close(auth.clientId), clientSecret: close(auth.clientSecret) },
          },
          nowMs,
        )
      : cognitoToken(
          {
            userAgent,
            endpoint: serviceUrl(endpoint, "cognito-idp", region),
            clientId: close(auth.clientId),
            clientSecret: auth.clientSecret === null ? null : close(auth.clientSecret),
            ...{ username: close(auth.username), password: close(auth.password) },
            token: auth.token,
          },
          nowMs,
        );
  return tokenAuthorizer({ header, prefix, fetch, nowMs });
}

/** A key or a token that does not change during the run. */
export function staticHeader(
  auth: AuthSpec | undefined,
  close: (text: string) => string,
): (readonly [string, string])[] {
  return auth?.kind === "static" ? [[auth.header, close(auth.value)]] : [];
}

const COMMAND_MS = 30_000;
const run = promisify(execFile);

/** The first line of what it prints; what it says on its error stream is nobody's business. */
async function commandToken(argv: readonly string[], { dir }: AuthPorts): Promise<Token> {
  const [file = "", ...rest] = argv;
  try {
    const { stdout } = await run(file, rest, { cwd: dir, timeout: COMMAND_MS });
    const value = stdout.split("\n")[0]?.trim() ?? "";
    if (value !== "") return { value, endsMs: null };
  } catch {
    throw new Error(`the command ${file} failed`);
  }
  throw new Error(`the command ${file} printed nothing`);
}

/** Throws `refused` for a load that would run a command although nobody allowed it. */
export function refuseAuthCommands({ loads, file }: Scenario, allowExec: boolean): void {
  for (const { name, target, line } of loads) {
    if (allowExec || target.kind !== "http" || target.auth?.kind !== "command") continue;
    const place = { file, ...(line === undefined ? {} : { line }) };
    throw new GatecrashError("refused", `load ${name} gets its token from a command`, {
      hint: `it would run ${target.auth.argv[0]}; add --allow-exec if that is meant`,
      place,
    });
  }
}
