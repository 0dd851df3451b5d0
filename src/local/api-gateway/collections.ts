// How both control planes of API Gateway list a collection, and read an item of it.
import { AwsError } from "../aws-error.ts";
import type { RestAnswer, RestCall } from "../lambda/rest-call.ts";
import type { RestRoute } from "../rest-routes.ts";
import type { World } from "../world.ts";

/** Items of one kind: all of them, how one is told from the others, and how it is shown. */
export interface Collection<T> {
  all(world: World, call: RestCall): readonly T[];
  /** What stands in the path for one item. */
  readonly label: string;
  idOf(item: T): string;
  view(world: World, item: T, call: RestCall): object;
  /** As in "Invalid Stage identifier specified". */
  readonly kind: string;
}

/** Where the two differ: the second came with HTTP APIs. */
interface Plane {
  readonly service: string;
  readonly items: string;
  readonly sizeDefault: number;
  /** Keys of the query, and members of the input. */
  readonly size: readonly [key: string, member: string];
  readonly token: readonly [key: string, member: string];
}

const SIZE_MAX = 500;
export const V1: Plane = {
  ...{ service: "apigateway", items: "item", sizeDefault: 25 },
  ...{ size: ["limit", "limit"], token: ["position", "position"] },
};
export const V2: Plane = {
  ...{ service: "apigatewayv2", items: "items", sizeDefault: SIZE_MAX },
  ...{ size: ["maxResults", "MaxResults"], token: ["nextToken", "NextToken"] },
};

/** A page of so many; the token is a position. */
function list<T>(
  { items: name, sizeDefault, size: [sizeKey], token: [tokenKey] }: Plane,
  { all, view }: Collection<T>,
  world: World,
  call: RestCall,
): RestAnswer {
  const items = all(world, call);
  const asked = Math.floor(Number(call.query.get(sizeKey) ?? sizeDefault)) || sizeDefault;
  const start = Math.max(0, Math.floor(Number(call.query.get(tokenKey) ?? 0)) || 0);
  const end = start + Math.min(SIZE_MAX, Math.max(1, asked));
  const body = {
    [name]: items.slice(start, end).map((item) => view(world, item, call)),
    ...(end < items.length ? { [tokenKey]: String(end) } : {}),
  };
  return { status: 200, body };
}

/** Throws AWS's 404 for an id of nothing. */
export function find<T>(collection: Collection<T>, world: World, call: RestCall): T {
  const { all, idOf, kind, label } = collection;
  const wanted = call.labels[label] ?? "";
  const found = all(world, call).find((item) => idOf(item) === wanted);
  if (found !== undefined) return found;
  const named = `${world.account}:${wanted}`;
  throw new AwsError("NotFoundException", 404, `Invalid ${kind} identifier specified ${named}`);
}

/** `Get<one>s` lists the collection, `Get<one>` reads an item of it. */
export function reads<T>(
  plane: Plane,
  one: string,
  path: string,
  collection: Collection<T>,
): RestRoute[] {
  const { service, size, token } = plane;
  return [
    {
      ...{ service, method: "GET", name: `Get${one}s`, path },
      operation: (world, call) => list(plane, collection, world, call),
      query: { [size[1]]: size[0], [token[1]]: token[0] },
    },
    read(plane, one, `${path}/{${collection.label}}`, collection),
  ];
}

/** `Get<one>` alone, at a path of its own. */
export const read = <T>(
  { service }: Plane,
  one: string,
  path: string,
  collection: Collection<T>,
): RestRoute => ({
  ...{ service, method: "GET", name: `Get${one}`, path },
  operation: (world, call) => ({
    status: 200,
    body: collection.view(world, find(collection, world, call), call),
  }),
});
