// `plan --probe`: a few requests that change nothing, to see if cold and warm can be told apart.
import type { Answer, Call } from "../core/arrival.ts";
import { isMutating } from "../core/capture.ts";
import type { Scenario } from "../core/scenario.ts";
import type { Clock } from "../core/time.ts";
import { makeTarget } from "./compose.ts";
import type { CountedLoad } from "./count-loads.ts";
import { probeJoin } from "./join-probe.ts";
import { refuseAuthCommands } from "./load-auth.ts";
import { type AwsPlace, loadPlace } from "./load-place.ts";
import { readSecrets } from "./secret-store.ts";
import { checkSecrets, secretTexts } from "./secrets.ts";
import type { System } from "./system-contract.ts";

interface ProbePorts {
  readonly system: System;
  readonly aws: AwsPlace;
  readonly clock: Clock;
}

export interface ProbedLoad {
  readonly load: string;
  /** Requests sent. */
  readonly sent: number;
  /** One line for a person. */
  readonly text: string;
}

/** So many of each load: more than one, since a line may be late or missing. */
const PROBES = 3;
/** Requests that change nothing are not looked for any later than this. */
const LOOK_MAX = 100_000;
/** What a handler is invoked with; docs/faults.md asks it to do nothing then. */
const PAYLOAD = Buffer.from('{"gatecrash":"probe"}');

/**
 * Each load by itself, in their order. Rejects with GatecrashErrors when a target cannot be made,
 * or when its credentials would be made by a command.
 */
export async function probeLoads(
  scenario: Scenario,
  counted: readonly CountedLoad[],
  system: System,
  clock: Clock,
): Promise<readonly ProbedLoad[]> {
  refuseAuthCommands(scenario, false);
  checkSecrets(scenario, await readSecrets(secretTexts(scenario), system.load));
  const aws = loadPlace(system, { runId: "plan", dir: scenario.dir });
  const ports = { system, aws, clock };
  const probed: ProbedLoad[] = [];
  for (const one of counted) probed.push(await probeLoad(scenario, one, ports));
  return probed;
}

async function probeLoad(
  scenario: Scenario,
  { load, arrivals }: CountedLoad,
  { system, aws, clock }: ProbePorts,
): Promise<ProbedLoad> {
  const { name } = load;
  const none = (text: string): ProbedLoad => ({ load: name, sent: 0, text: `${name}: ${text}` });
  const { kind } = load.target;
  if (kind === "kinesis" || kind === "sqs")
    return none("a record is not joined with its invocation, so nothing was probed");
  if (scenario.observe.reports.length === 0) return none("no REPORT lines are read");
  const calls = kind === "lambda" ? invokes() : reads(arrivals());
  if (calls.length === 0) return none("not probed: every request of it writes");
  const fromMs = clock.wallMs();
  await using target = await makeTarget(load, clock, aws);
  const answers: Answer[] = [];
  for (const call of calls)
    answers.push(await new Promise<Answer>((done) => target.send(call, done)));
  const ids = answers.map(({ requestId }) => requestId).filter((id) => id !== "");
  const sent = answers.length;
  const said = `${name}: ${sent} ${sent === 1 ? "probe" : "probes"}`;
  const failed = failuresOf(answers);
  if (ids.length === 0)
    return { load: name, sent, text: `${said}: no answer has a request id${failed}` };
  const { joined, ladder } = await probeJoin(scenario, system, { ids, fromMs, clock });
  const end = joined > 0 ? "will be told apart" : "will NOT be told apart";
  return { load: name, sent, text: `${said}: ${ladder} → cold and warm ${end}${failed}` };
}

const invokes = (): Call[] =>
  Array.from({ length: PROBES }, (): Call => ({ kind: "invoke", payload: PAYLOAD }));

/** The first of the plan's own that read; the same again where there is only one. */
function reads(arrivals: Iterable<{ readonly call: Call }>): Call[] {
  const found: Call[] = [];
  let looked = 0;
  for (const { call } of arrivals) {
    if (++looked > LOOK_MAX || found.length === PROBES) break;
    if (call.kind === "http" && !isMutating(call.method)) found.push(call);
  }
  return found;
}

function failuresOf(answers: readonly Answer[]): string {
  const failed = answers.filter(({ outcome }) => outcome !== "ok");
  if (failed.length === 0) return "";
  const [{ outcome, status, reason }] = failed as [Answer];
  const what = status > 0 ? `status ${status}` : reason || outcome;
  return `; ${failed.length} of them failed (${what})`;
}
