// Which domain a request was sent to, and what its path is below that domain's stage.
import type { DomainMapping } from "../template/api-types.ts";

export interface Address {
  readonly domainName: string;
  /** null = nothing of this API is there. */
  readonly path: string | null;
}

export interface Addressable {
  /** `$default` (no prefix), or a name that is the first segment of every path. */
  readonly stage: string;
  /** The domain that AWS gives. */
  readonly ownDomain: string;
  /** Custom domains' mappings to this API. */
  readonly domains: readonly DomainMapping[];
}

/** `host` is the Host header. A custom domain has its mapping's key in the path, and no stage. */
export function addressOf(api: Addressable, host: string, path: string): Address {
  const name = host.toLowerCase().replace(/:\d+$/, "");
  const keys = api.domains.filter(({ domain }) => domain === name).map(({ key }) => key);
  if (keys.length === 0) {
    const own = api.stage === "$default" ? path : below(path, api.stage);
    return { domainName: api.ownDomain, path: own };
  }
  keys.sort((a, b) => b.length - a.length); // the longest one that fits, as on AWS
  const found = keys.map((key) => (key === "" ? path : below(path, key)));
  return { domainName: name, path: found.find((each) => each !== null) ?? null };
}

function below(path: string, first: string): string | null {
  const prefix = `/${first}`;
  if (path === prefix) return "/";
  return path.startsWith(`${prefix}/`) ? path.slice(prefix.length) : null;
}
