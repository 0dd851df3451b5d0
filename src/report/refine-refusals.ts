// Who refused, by the front's access log: it knows what an answer alone cannot say.
import { outcomeCode, reasonCode, refuserCode } from "../core/outcome.ts";
import type { AccessLines, Said } from "./access-lines.ts";
import type { AttemptChunk } from "./attempt-chunk.ts";

const OK = outcomeCode("ok");
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
    if (line[row]! < 0) continue;
    const said = access.said(line[row]!);
    const isRefused = outcome === THROTTLED || (outcome === ERRORED && reason === STATUS);
    // A team may have given a refusal the status of a good answer: then only the log knows.
    const isTurned = said.by !== 0 || said.integration === 429;
    const isDisguised = outcome === OK && isTurned && status[row]! < 400;
    if (!isRefused && !isDisguised) continue;
    const by = refuserOf(said, status[row]!, chunk.refusedBy[row]!);
    chunk.outcome[row] = by === 0 ? ERRORED : THROTTLED;
    chunk.refusedBy[row] = by;
    chunk.reason[row] = by === 0 ? STATUS : 0;
  }
}

/** `known`: who refused by the answer alone. 0 = nobody did: the status is the system's. */
function refuserOf({ integration, by, passedOn, alone }: Said, status: number, known: number) {
  // Behind a gateway Lambda's refusal arrives as one of its own errors, whatever status that has.
  if (integration === 429 && status !== 429) return BY.lambda;
  if (by !== 0) return by;
  // Whatever it looks like: it came from behind the gateway.
  if (passedOn) return status === 429 ? BY.application : 0;
  if (!alone || known !== 0) return known;
  if (status === 429) return BY.gateway;
  if (status === 401) return BY.authorizer;
  return status === 403 ? BY.edge : 0;
}
