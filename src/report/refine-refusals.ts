// Who refused, by the front's access log: it knows what an answer alone cannot say.
import { outcomeCode, reasonCode, refuserCode } from "../core/outcome.ts";
import type { AccessLines, Said } from "./access-lines.ts";
import type { AttemptChunk } from "./attempt-chunk.ts";

const ERRORED = outcomeCode("errored");
const THROTTLED = outcomeCode("throttled");
const STATUS = reasonCode("status");
const BY = {
  lambda: refuserCode("lambda"),
  application: refuserCode("application"),
  gateway: refuserCode("gateway"),
  authorizer: refuserCode("authorizer"),
  edge: refuserCode("edge"),
};

/** Changes outcome, refuser and reason of attempts whose access line knows better. */
export function refineRefusals(chunk: AttemptChunk, status: Int32Array, access: AccessLines): void {
  const { line } = chunk;
  if (line === null) return;
  for (let row = 0; row < chunk.rows; row++) {
    const [outcome, reason] = [chunk.outcome[row], chunk.reason[row]];
    const isRefused = outcome === THROTTLED || (outcome === ERRORED && reason === STATUS);
    if (!isRefused || line[row]! < 0) continue;
    const by = refuserOf(access.said(line[row]!), status[row]!, chunk.refusedBy[row]!);
    chunk.outcome[row] = by === 0 ? ERRORED : THROTTLED;
    chunk.refusedBy[row] = by;
    chunk.reason[row] = by === 0 ? STATUS : 0;
  }
}

/** `known`: who refused by the answer alone. 0 = nobody did: the status is the system's. */
function refuserOf({ integration, by, passedOn, alone }: Said, status: number, known: number) {
  // Behind a gateway Lambda's refusal arrives as one of its own errors.
  if (integration === 429 && (status === 503 || status === 500)) return BY.lambda;
  if (by !== 0) return by;
  // Whatever it looks like: it came from behind the gateway.
  if (passedOn) return status === 429 ? BY.application : 0;
  if (!alone || known !== 0) return known;
  if (status === 429) return BY.gateway;
  if (status === 401) return BY.authorizer;
  return status === 403 ? BY.edge : 0;
}
