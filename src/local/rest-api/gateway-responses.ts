// The gateway's own answers as a team has changed them: status, headers and body by type.
import type { Values } from "../http-api/access-log.ts";
import { isSendable } from "../http-api/answer.ts";
import { headerOf } from "../http-api/gateway-request.ts";
import type { GatewayResponseSpec, GatewayResponses } from "../template/rest-types.ts";
import type { RestAnswer } from "./answer.ts";
import type { RestRequest } from "./exchange.ts";

/** Of a request: `$context` variables, and what it brought. */
export interface Known {
  readonly request: RestRequest;
  readonly variables: Values;
  readonly pathParameters: { readonly [name: string]: string };
}

/** AWS's table says 504, which is in force only once that response was changed. */
const FAILURE_STATUS = 504;

/** A function's answer, and one whose type nobody changed, stays as it is. */
export function changedAnswer(
  responses: GatewayResponses,
  answer: RestAnswer,
  known: Known,
): RestAnswer {
  const { error } = answer;
  if (error === null || responses.size === 0) return answer;
  const { responseType } = error;
  const own = responses.get(responseType);
  // The class is the type's own, whatever status its fallback has been given.
  const spec = own ?? responses.get(answer.status < 500 ? "DEFAULT_4XX" : "DEFAULT_5XX");
  if (spec === undefined) return answer;
  const isFailure = own !== undefined && responseType === "INTEGRATION_FAILURE";
  const status = spec.status ?? (isFailure ? FAILURE_STATUS : answer.status);
  return { ...answer, status, ...saidBy(spec, answer, known) };
}

function saidBy(
  { headers, templates }: GatewayResponseSpec,
  answer: RestAnswer,
  known: Known,
): Pick<RestAnswer, "headers" | "body"> {
  const accept = headerOf(known.request, "accept");
  const [type, template] =
    templates.find(([one]) => accept.includes(one)) ??
    templates.find(([one]) => one === "application/json") ??
    templates[0] ??
    [];
  const own = new Map(answer.headers.map(([name, value]) => [name.toLowerCase(), [name, value]]));
  if (type !== undefined) own.set("content-type", ["content-type", type]);
  for (const [name, value] of headers) {
    const filled = [name, headerValue(value, known)] as const;
    if (isSendable(filled)) own.set(name.toLowerCase(), [...filled]);
  }
  const all = [...own.values()] as unknown as RestAnswer["headers"];
  const body = template === undefined ? answer.body : Buffer.from(filledTemplate(template, known));
  return { headers: all, body };
}

const VARIABLE = /\$((?:context|method)(?:\.[A-Za-z][\w-]*)+)/g;

/** Simple substitution: there is no VTL in gateway responses. What is not known is empty. */
const filledTemplate = (template: string, known: Known): string =>
  template.replace(VARIABLE, (_, name: string) => variable(name, known));

const headerValue = (value: string, known: Known): string =>
  value.startsWith("'") ? value.slice(1, -1) : variable(value, known);

const OF_REQUEST = /^method\.request\.(header|querystring|path)\.(.+)$/;

function variable(name: string, { request, variables, pathParameters }: Known): string {
  const [, from, key = ""] = OF_REQUEST.exec(name) ?? [];
  if (from === "header") return headerOf(request, key.toLowerCase());
  if (from === "querystring") return new URLSearchParams(request.query).get(key) ?? "";
  if (from === "path") return Object.hasOwn(pathParameters, key) ? pathParameters[key]! : "";
  const found = name.replace(/^context\./, "");
  return Object.hasOwn(variables, found) ? String(variables[found] ?? "") : "";
}
