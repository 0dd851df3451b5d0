// What a front's access lines say of their requests: who answered, and why.
import { type Refuser, refuserCode } from "../core/outcome.ts";
import { grown } from "./growing.ts";

/**
 * Who stands behind API Gateway's own answers. A failing authorizer is the system's failure, and a
 * missing authentication token is also what a REST API says for a route that it does not have.
 */
const BY_RESPONSE_TYPE: { readonly [type: string]: Refuser } = {
  THROTTLED: "gateway",
  QUOTA_EXCEEDED: "gateway.quota",
  INVALID_API_KEY: "gateway.key",
  WAF_FILTERED: "waf",
  UNAUTHORIZED: "authorizer",
  ACCESS_DENIED: "authorizer",
  INVALID_SIGNATURE: "authorizer",
};

export interface Said {
  /** Status of the integration's own answer, −1 = none. */
  readonly integration: number;
  /** Code of who refused before any integration; 0 = it does not say. */
  readonly by: number;
  /** An integration was asked; none was. Both false: the format does not say. */
  readonly passedOn: boolean;
  readonly alone: boolean;
}

export class AccessLines {
  length = 0;
  /** Wall ms of the request, and how long the front took for it, ms; NaN = not said. By line. */
  at = new Float64Array(0);
  latencyMs = new Float64Array(0);
  #integration = new Int32Array(0);
  #refuser = new Uint8Array(0);
  /** 1 = an integration was asked, as far as the line says so. */
  #reached = new Uint8Array(0);
  #met = new Uint8Array(0);
  /** Some line says that one was asked: then a line that does not says that none was. */
  #saysReached = false;

  /** `status` of the integration, NaN = none. Returns the line's number. */
  add(
    status: number,
    isAsked: boolean,
    responseType: string | null,
    { at, latencyMs }: { readonly at: number; readonly latencyMs: number },
  ): number {
    const line = this.length++;
    this.at = grown(this.at, this.length, Number.NaN);
    this.latencyMs = grown(this.latencyMs, this.length, Number.NaN);
    this.at[line] = at;
    this.latencyMs[line] = latencyMs;
    this.#integration = grown(this.#integration, this.length, -1);
    this.#refuser = grown(this.#refuser, this.length, 0);
    this.#reached = grown(this.#reached, this.length, 0);
    this.#met = grown(this.#met, this.length, 0);
    this.#integration[line] = Number.isNaN(status) ? -1 : status;
    this.#refuser[line] = refuserCode(BY_RESPONSE_TYPE[responseType ?? ""] ?? "");
    if (!isAsked && Number.isNaN(status)) return line;
    this.#reached[line] = 1;
    this.#saysReached = true;
    return line;
  }

  /** True the first time: an answer out of a cache has the request id of another. */
  isNew(line: number): boolean {
    const isNew = this.#met[line] === 0;
    this.#met[line] = 1;
    return isNew;
  }

  said(line: number): Said {
    const passedOn = this.#reached[line] === 1;
    const alone = !passedOn && this.#saysReached;
    return { integration: this.#integration[line]!, by: this.#refuser[line]!, passedOn, alone };
  }
}
