// Where requests go: scheme, host and port of a URL, taken apart once.
import { isIP } from "node:net";
import { GatecrashError } from "../core/error.ts";

export interface Origin {
  readonly secure: boolean;
  /** Name or address, without the brackets of an IPv6 literal. */
  readonly host: string;
  readonly port: number;
  /** Value of the Host header: with the port unless it is the scheme's own. */
  readonly hostHeader: string;
  /** True when `host` is an address, so that no name is looked up and no SNI is sent. */
  readonly literal: boolean;
  /** Path and query of the URL as written; `/` when it has none. */
  readonly path: string;
}

const URL_PARTS =
  /^(https?):\/\/(\[[0-9a-fA-F:.]+\]|[A-Za-z0-9._-]+)(?::(\d{1,5}))?([/?][^#]*)?(?:#.*)?$/i;

/**
 * Takes an absolute `http:` or `https:` URL apart and leaves its path as it is written.
 * Throws `usage` for anything else, user names included: credentials go into headers.
 */
export function parseOrigin(url: string): Origin {
  const [, scheme, authority, portText, rest = "/"] = URL_PARTS.exec(url) ?? [];
  if (scheme === undefined || authority === undefined)
    throw new GatecrashError("usage", `not an http or https URL: ${url}`, {
      hint: "write it whole, such as https://example.com/path",
    });
  const secure = scheme.toLowerCase() === "https";
  const ownPort = secure ? 443 : 80;
  const port = portText === undefined ? ownPort : Number(portText);
  if (port < 1 || port > 65_535) throw new GatecrashError("usage", `no such port: ${port}`);
  const host = authority.replace(/^\[|\]$/g, "");
  return {
    secure,
    host,
    port,
    hostHeader: port === ownPort ? authority : `${authority}:${port}`,
    literal: isIP(host) !== 0,
    path: rest.startsWith("?") ? `/${rest}` : rest,
  };
}
