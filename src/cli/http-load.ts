// An http load's target: where it connects, as whom, over which TLS, with secrets closed in memory.
import { readFile } from "node:fs/promises";
import { createControlPlane } from "../aws/control-plane.ts";
import { identityOf, SHELL } from "../aws/identity.ts";
import type { Target } from "../core/arrival.ts";
import { GatecrashError, messageOf } from "../core/error.ts";
import type { HttpSpec, Load } from "../core/scenario.ts";
import type { Clock } from "../core/time.ts";
import { httpTarget } from "../targets/http.ts";
import type { TlsOptions } from "../wire/secure.ts";
import { loadAuthorizer, staticHeader } from "./load-auth.ts";
import { type AwsPlace, userAgentOf } from "./load-place.ts";
import { readSecrets } from "./secret-store.ts";
import { secretsIn, secretTexts } from "./secrets.ts";

export async function makeHttpTarget(load: Load, clock: Clock, aws: AwsPlace): Promise<Target> {
  const { target } = load;
  if (target.kind !== "http") throw new Error("not an http target");
  const { identity = SHELL, dir, ...place } = aws;
  const nowMs = (): number => clock.wallMs();
  const { credentials } = identityOf(identity, { ...place, nowMs });
  const control = createControlPlane({ ...place, credentials });
  const store = await readSecrets(secretTexts({ loads: [load], sinks: [] }), control);
  const close = (text: string): string => secretsIn(text, store);
  const ports = {
    ...place,
    nowMs,
    secretsIn: close,
    credentials,
    dir,
    userAgent: userAgentOf(aws),
  };
  const auth = target.auth === undefined ? null : await loadAuthorizer(target.auth, ports);
  return httpTarget({
    ...{ url: target.url, now: () => clock.nowUs(), timeoutUs: target.timeoutUs },
    wallMs: () => clock.wallMs(),
    ...{ ok: load.ok, degraded: load.degraded },
    ...(load.joinBy === undefined ? {} : { joinBy: load.joinBy }),
    headers: [
      ...target.headers.map(([name, value]) => [name, close(value)] as const),
      ...staticHeader(target.auth, close),
    ],
    ...(auth === null ? {} : { auth }),
    ...(target.tls === undefined ? {} : { tls: await tlsOf(target.tls) }),
    ...(target.connectTo === undefined ? {} : { connectTo: target.connectTo }),
    ...(target.rewrites === undefined ? {} : { rewrites: target.rewrites }),
    ...(aws.account === null ? {} : { userAgent: userAgentOf(aws) }),
  });
}

async function tlsOf({ ca, serverName }: NonNullable<HttpSpec["tls"]>): Promise<TlsOptions> {
  return {
    ...(ca === null ? {} : { ca: await readAuthorities(ca) }),
    ...(serverName === null ? {} : { serverName }),
  };
}

async function readAuthorities(file: string): Promise<Buffer> {
  try {
    return await readFile(file);
  } catch (cause) {
    const place = { file };
    throw new GatecrashError("input", `no authorities there: ${messageOf(cause)}`, {
      place,
      cause,
    });
  }
}
