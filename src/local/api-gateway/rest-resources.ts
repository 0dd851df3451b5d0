// The tree of a REST API's resources: every segment of its methods' paths, down from the root.
import { resourceIdOf } from "../template/api-names.ts";
import type { RestApiSpec, RestMethod } from "../template/rest-types.ts";

export interface RestResource {
  readonly api: RestApiSpec;
  readonly id: string;
  readonly parentId: string | null;
  readonly path: string;
  readonly methods: readonly RestMethod[];
}

export function resourcesOf(api: RestApiSpec): RestResource[] {
  const paths = new Set(["/"]);
  for (const { path } of api.methods) {
    const segments = path.split("/").filter((segment) => segment !== "");
    segments.forEach((_, at) => {
      paths.add(`/${segments.slice(0, at + 1).join("/")}`);
    });
  }
  return [...paths].map((path) => ({
    api,
    id: resourceIdOf(api.logicalId, path),
    parentId:
      path === "/" ? null : resourceIdOf(api.logicalId, path.replace(/\/[^/]*$/, "") || "/"),
    path,
    methods: api.methods.filter((method) => method.path === path),
  }));
}
