// SetAlarmState: an alarm as somebody says it is, until it is evaluated again.
import { AwsError } from "../aws-error.ts";
import type { JsonInput } from "../wire/aws-json.ts";
import { said } from "../wire/said.ts";
import type { World } from "../world.ts";
import type { AlarmState } from "./alarm-state.ts";
import { invalidMetric } from "./metric-input.ts";

const STATES: readonly unknown[] = ["OK", "ALARM", "INSUFFICIENT_DATA"] satisfies AlarmState[];
const isState = (value: unknown): value is AlarmState => STATES.includes(value);

/** For rehearsals: on AWS, too, the next evaluation takes it back. */
export function setAlarmState(world: World, input: JsonInput): object {
  const { StateValue: state, StateReason: reason } = input;
  const name = said(input.AlarmName);
  if (!isState(state))
    throw invalidMetric(`The parameter StateValue must be one of ${STATES.join(", ")}.`);
  if (typeof reason !== "string") throw invalidMetric("The parameter StateReason is required.");
  const alarm = world.alarms.all().find(({ spec }) => spec.name === name);
  if (alarm === undefined) throw new AwsError("ResourceNotFound", 404, `Unknown alarm: ${name}`);
  const nowMs = world.clock.wallMs();
  world.alarms.evaluate(nowMs); // what is over is not evaluated again
  world.alarms.turn(alarm, { state, reason }, nowMs);
  return {};
}
