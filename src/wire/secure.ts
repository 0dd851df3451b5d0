// TLS of the load path: always verified, never below 1.2, resumed only when the load says so.
import { X509Certificate } from "node:crypto";
import { type ConnectionOptions, createSecureContext, type TLSSocket } from "node:tls";
import { GatecrashError, messageOf } from "../core/error.ts";
import type { Origin } from "./origin.ts";

export interface TlsOptions {
  /** PEM of the authorities to trust instead of Node's own list. */
  readonly ca?: string | Buffer;
  /** Name for SNI and for the certificate, where it is not the URL's host. */
  readonly serverName?: string;
  /** Resume sessions on new connections; off by default, since resuming hides the server's cost. */
  readonly resume?: boolean;
}

const PEM_BLOCK = /-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g;

export class Secure {
  private readonly options: ConnectionOptions;
  private readonly resume: boolean;
  private session: Buffer | null = null;

  /** Throws `usage` when the authorities cannot be read. */
  constructor(origin: Origin, tls: TlsOptions) {
    this.resume = tls.resume ?? false;
    const name = tls.serverName ?? (origin.literal ? undefined : origin.host);
    this.options = {
      secureContext: contextOf(tls.ca),
      ALPNProtocols: ["http/1.1"],
      rejectUnauthorized: true, // said, so that NODE_TLS_REJECT_UNAUTHORIZED cannot turn it off
      ...(name === undefined ? {} : { servername: name }),
    };
  }

  connectOptions(): ConnectionOptions {
    if (!this.resume || this.session === null) return this.options;
    return { ...this.options, session: this.session };
  }

  /** Keeps the newest session ticket of a connection. */
  watch(socket: TLSSocket): void {
    if (this.resume)
      socket.on("session", (session) => {
        this.session = session;
      });
  }
}

/** Node takes authorities that it cannot read for none at all, so they are read here first. */
function contextOf(ca: string | Buffer | undefined) {
  if (ca === undefined) return createSecureContext({ minVersion: "TLSv1.2" });
  try {
    const blocks = ca.toString().match(PEM_BLOCK) ?? [];
    for (const block of blocks) new X509Certificate(block);
    if (blocks.length === 0) throw new Error("no certificate in it");
    return createSecureContext({ minVersion: "TLSv1.2", ca });
  } catch (thrown) {
    throw new GatecrashError("usage", `cannot use these authorities: ${messageOf(thrown)}`, {
      hint: "give the certificates of the authorities as PEM",
      cause: thrown,
    });
  }
}
