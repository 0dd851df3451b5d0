// The custom domains of a template, and which API is behind each of their keys.
import { GatecrashError } from "../../core/error.ts";
import type { DomainMapping, DomainSpec } from "./api-types.ts";
import { apiIdOf } from "./names.ts";
import type { TemplateSource } from "./read-yaml.ts";
import type { HttpApiResource } from "./schema.ts";
import type { DomainResource, MappingResource } from "./schema-domains.ts";
import type { RestApiResource } from "./schema-rest.ts";

export interface DomainParts {
  readonly apis: ReadonlyMap<string, HttpApiResource | null>;
  readonly restApis: ReadonlyMap<string, RestApiResource>;
  readonly domains: ReadonlyMap<string, DomainResource>;
  readonly mappings: ReadonlyMap<string, MappingResource>;
}

/** Throws a `scenario` error: a mapping without its domain or API, a key that is taken. */
export function domainsOf(parts: DomainParts, source: TemplateSource): DomainSpec[] {
  const found = new Map<string, DomainMapping[]>();
  for (const { Properties } of parts.domains.values()) found.set(Properties.DomainName, []);
  const add = (mapping: DomainMapping, logicalId: string, property: string): void => {
    const fail = (message: string, at: string): never => {
      const place = source.placeOf(["Resources", logicalId, "Properties", at]);
      throw new GatecrashError("scenario", message, { place });
    };
    const { domain, key } = mapping;
    const there =
      found.get(domain) ?? fail(`${domain} is no domain name of this template`, "DomainName");
    if (there.some((other) => other.key === key))
      fail(`${domain} has two mappings for ${key === "" ? "the whole domain" : key}`, property);
    there.push(mapping);
  };
  const apis = [...parts.apis, ...parts.restApis];
  for (const [logicalId, api] of apis) {
    const wanted = api?.Properties?.Domain;
    if (wanted === undefined) continue;
    const { DomainName: domain, BasePath: paths = "" } = wanted;
    if (!found.has(domain)) found.set(domain, []);
    const stage = api?.Properties?.StageName ?? "$default";
    for (const path of typeof paths === "string" ? [paths] : paths)
      add({ domain, key: keyOf(path), apiId: apiIdOf(logicalId), stage }, logicalId, "Domain");
  }
  for (const [logicalId, { Properties }] of parts.mappings) {
    const { DomainName: domain, ApiId: apiId, Stage: stage, ApiMappingKey: key } = Properties;
    const known = apis.some(
      ([id, api]) => apiIdOf(id) === apiId && (api?.Properties?.StageName ?? "$default") === stage,
    );
    if (!known)
      throw new GatecrashError("scenario", `no API ${apiId} here has a stage ${stage}`, {
        place: source.placeOf(["Resources", logicalId, "Properties", "ApiId"]),
        hint: "write: ApiId: !Ref <Api>, and the Stage that it has ($default if none is given)",
      });
    add({ domain, key: keyOf(key ?? ""), apiId, stage }, logicalId, "ApiMappingKey");
  }
  return [...found].map(([name, mappings]) => ({ name, mappings }));
}

/** SAM writes `/` for the whole domain, and allows a slash before a path. */
const keyOf = (path: string): string => path.replace(/^\/+/, "");
