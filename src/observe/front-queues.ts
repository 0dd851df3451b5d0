// The queues that an HTTP API sends to by itself: which requests of a load become messages.
import { AwsFailure, type ControlPlane, type Json } from "../core/change.ts";

/** A route of an HTTP API whose integration is SQS-SendMessage. */
export interface FrontQueue {
  /** As API Gateway writes it: `POST /jobs`, `ANY /{proxy+}`, `$default`. */
  readonly routeKey: string;
  /** Null where the URL comes from the request: any queue may be meant. */
  readonly queueUrl: string | null;
}

export interface Front {
  /** Of all integrations, so that a request finds its own. */
  readonly routeKeys: readonly string[];
  readonly queues: readonly FrontQueue[];
  /** What stands before a route's path: `/prod`, or "". */
  readonly stage: string;
}

type Output = { readonly [key: string]: unknown };

/** The HTTP API behind a URL; null = none of this account, or it has no such integration. */
export async function frontOf(url: string, control: ControlPlane): Promise<Front | null> {
  if (!URL.canParse(url)) return null;
  const found = await apiOf(new URL(url), control);
  if (found === null) return null;
  const { apiId, stage } = found;
  const integrations = await pages(control, "GetIntegrations", { ApiId: apiId });
  const sends = new Map(
    integrations
      .filter(({ IntegrationSubtype: subtype }) => subtype === "SQS-SendMessage")
      .map(({ IntegrationId: id, RequestParameters: with_ }) => {
        return [`integrations/${id}`, String((with_ as Output | undefined)?.QueueUrl ?? "")];
      }),
  );
  if (sends.size === 0) return null;
  const routes = await pages(control, "GetRoutes", { ApiId: apiId });
  const queues = routes.flatMap(({ RouteKey: routeKey, Target: target }): FrontQueue[] => {
    const queueUrl = sends.get(String(target));
    if (queueUrl === undefined) return [];
    return [{ routeKey: String(routeKey), queueUrl: queueUrl.startsWith("$") ? null : queueUrl }];
  });
  return { routeKeys: routes.map(({ RouteKey }) => String(RouteKey)), queues, stage };
}

async function apiOf(
  url: URL,
  control: ControlPlane,
): Promise<{ readonly apiId: string; readonly stage: string } | null> {
  const apis = await pages(control, "GetApis", {});
  const api = apis.find(({ ApiEndpoint: at }) => hostOf(String(at)) === url.host);
  if (api !== undefined) {
    const apiId = String(api.ApiId);
    const stages = await pages(control, "GetStages", { ApiId: apiId });
    const first = url.pathname.split("/")[1] ?? "";
    const isNamed = first !== "" && stages.some(({ StageName: name }) => name === first);
    return { apiId, stage: isNamed ? `/${first}` : "" };
  }
  const domains = await pages(control, "GetDomainNames", {});
  if (domains.every(({ DomainName: name }) => name !== url.hostname)) return null;
  const mappings = await pages(control, "GetApiMappings", { DomainName: url.hostname });
  const keyed = mappings.map((one) => ({ key: String(one.ApiMappingKey ?? ""), one }));
  const fitting = keyed
    .filter(({ key }) => key === "" || `${url.pathname}/`.startsWith(`/${key}/`))
    .sort((a, b) => b.key.length - a.key.length)[0];
  if (fitting === undefined) return null;
  const stage = fitting.key === "" ? "" : `/${fitting.key}`;
  return { apiId: String(fitting.one.ApiId), stage };
}

const hostOf = (url: string): string => (URL.canParse(url) ? new URL(url).host : "");

async function pages(
  control: ControlPlane,
  action: string,
  input: { readonly [key: string]: Json },
): Promise<readonly Output[]> {
  const found: Output[] = [];
  for (let token: string | undefined; ; ) {
    const page = token === undefined ? {} : { NextToken: token };
    const answer = await control.call("apigatewayv2", action, { ...input, ...page });
    found.push(...((answer.Items ?? []) as readonly Output[]));
    token = answer.NextToken as string | undefined;
    if (token === undefined || token === "") return found;
  }
}

/** In words what could not be read; everything else is our own bug. */
export function whyUnread(error: unknown): string {
  if (!(error instanceof AwsFailure)) throw error;
  return `the HTTP API behind a load: ${error.name}`;
}

/** The most specific route of a request, as API Gateway chooses it; null = it answers 404. */
export function routeKeyOf(front: Front, method: string, path: string): string | null {
  const [bare = ""] = path.split("?");
  const inside = bare.startsWith(`${front.stage}/`) ? bare.slice(front.stage.length) : bare;
  let best: { key: string; rank: string } | null = null;
  for (const key of front.routeKeys) {
    const rank = rankOf(key, method, inside);
    if (rank !== null && (best === null || rank > best.rank)) best = { key, rank };
  }
  return best?.key ?? null;
}

/** A character per segment (`3` literal, `2` parameter, `1` greedy), then a named method first. */
function rankOf(key: string, method: string, path: string): string | null {
  if (key === "$default") return "0";
  const [verb = "", pattern = ""] = key.split(" ");
  if (verb !== "ANY" && verb !== method) return null;
  const [wanted, given] = [pattern.split("/"), path.split("/")];
  let rank = "";
  for (const [at, segment] of wanted.entries()) {
    const value = given[at];
    if (value === undefined) return null;
    if (/^\{[^}]+\+\}$/.test(segment)) return `${rank}1${verb === "ANY" ? "a" : "b"}`;
    if (/^\{[^}]+\}$/.test(segment)) rank += "2";
    else if (segment !== value) return null;
    else rank += "3";
  }
  return given.length === wanted.length ? `${rank}${verb === "ANY" ? "a" : "b"}` : null;
}
