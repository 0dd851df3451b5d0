// What Lambda authorizers of both kinds of API share: who is asked about, and what is kept.
import { isRecord } from "./answer.ts";
import { type GatewayRequest, headerOf } from "./gateway-request.ts";

export interface IdentitySource {
  readonly in: "header" | "querystring";
  readonly name: string;
}

/** null when one is missing: then nobody is asked. */
export function identityValues(
  sources: readonly IdentitySource[],
  request: GatewayRequest,
): string[] | null {
  const query = new URLSearchParams(request.query);
  const values = sources.map((source) =>
    source.in === "header" ? headerOf(request, source.name) : (query.get(source.name) ?? ""),
  );
  return values.some((value) => value === "") ? null : values;
}

interface CalledApi {
  readonly region: string;
  readonly account: string;
  readonly apiId: string;
  readonly stage: string;
}

/** What a policy allows or denies: the method and path that are called. */
export const calledArnOf = (
  { region, account, apiId, stage }: CalledApi,
  { method, pathInStage }: GatewayRequest,
): string =>
  `arn:aws:execute-api:${region}:${account}:${apiId}/${stage}/${method}` +
  `/${(pathInStage ?? "").replace(/^\//, "")}`;

/** What a function throws to say that the caller is nobody. */
export const saysNobody = (result: unknown): boolean =>
  isRecord(result) && result.errorMessage === "Unauthorized";

/** Answers that are kept at once; the oldest goes first. */
const KEPT_MAX = 10_000;
const MS_PER_S = 1_000;

/** Answers of authorizers, each for its own time. */
export class KeptAnswers<T> {
  readonly #kept = new Map<string, { readonly answer: T; readonly untilMs: number }>();

  /** undefined = none that still holds. */
  get(key: string, nowMs: number): T | undefined {
    const found = this.#kept.get(key);
    return found !== undefined && found.untilMs > nowMs ? found.answer : undefined;
  }

  keep(key: string, answer: T, nowMs: number, forS: number): void {
    if (forS === 0) return;
    this.#kept.delete(key); // a new answer is the newest
    this.#kept.set(key, { answer, untilMs: nowMs + forS * MS_PER_S });
    const oldest = this.#kept.keys().next().value;
    if (this.#kept.size > KEPT_MAX && oldest !== undefined) this.#kept.delete(oldest);
  }
}
