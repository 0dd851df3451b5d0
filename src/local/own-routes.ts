// The routes under /_local/ that are not AWS's: outputs, health, audit, errors, roles, stop.
import { parse } from "yaml";
import { messageOf } from "../core/error.ts";
import type { LagWatch } from "./event-loop-lag.ts";
import { readRoles } from "./iam/read-roles.ts";
import { PLANNED_ERRORS, type PlannedError } from "./planned-errors.ts";
import type { WireAnswer, WireRequest } from "./wire/request.ts";
import type { World } from "./world.ts";

export interface OwnRoutes {
  readonly outputs: { readonly [name: string]: string };
  readonly lag: LagWatch;
  readonly startedMs: number;
  /** Stops local AWS after the answer is on its way. */
  stop(): void;
}

export function ownRoute(world: World, own: OwnRoutes, request: WireRequest): WireAnswer {
  switch (`${request.method} ${request.path}`) {
    case "GET /_local/outputs":
      return answer(200, own.outputs);
    case "GET /_local/audit":
      return answer(200, { writes: world.audit });
    case "GET /_local/calls":
      return answer(200, Object.fromEntries([...world.calls].map(([who, set]) => [who, [...set]])));
    case "GET /_local/roles":
      return answer(200, world.roles.report());
    case "PUT /_local/roles":
      return putRoles(world, request);
    case "GET /_local/health":
      return answer(200, {
        account: world.account,
        region: world.region,
        uptime_ms: world.clock.wallMs() - own.startedMs,
        loop_lag: own.lag.read(),
        log_events_dropped: world.logs.dropped,
        stream_records_dropped: world.streams.recordsDropped,
        functions: world.functions.all().map(({ name, environmentCount }) => ({
          name,
          environments: environmentCount,
          busy: world.admission.concurrency(name).function,
        })),
      });
    case "POST /_local/faults":
      return planErrors(world, request);
    case "POST /_local/stop":
      own.stop();
      return answer(200, { stopping: true });
    default:
      return answer(404, { message: `no ${request.method} ${request.path}` });
  }
}

/**
 * A stack as `gatecrash bootstrap` prints it, JSON or YAML, of the account that is played or of
 * `?account=`; its roles are strict from now on.
 */
function putRoles(world: World, { body, query }: WireRequest): WireAnswer {
  try {
    const roles = readRoles(parse(body.toString()), "the request");
    world.roles.put(query.get("account") ?? world.account, roles);
    return answer(200, { roles: roles.map(({ name }) => name) });
  } catch (error) {
    return answer(400, { message: messageOf(error) });
  }
}

/** For tests: the next `times` calls of an operation go wrong in the way that is named. */
function planErrors(world: World, { body }: WireRequest): WireAnswer {
  try {
    const { action, times = 1, error } = JSON.parse(body.toString()) as Partial<PlannedError>;
    if (typeof action === "string" && error !== undefined && PLANNED_ERRORS.includes(error)) {
      world.planned.plan({ action, times, error });
      return answer(200, { planned: true });
    }
  } catch {
    // falls through to the same answer
  }
  const message = `wanted: {"action": "…", "times": 1, "error": ${PLANNED_ERRORS.join(" | ")}}`;
  return answer(400, { message });
}

const answer = (status: number, body: object): WireAnswer => ({
  status,
  headers: { "content-type": "application/json" },
  body: JSON.stringify(body),
});
