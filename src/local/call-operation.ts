// Calls an operation of local AWS by service and name, without a wire: what schedules do when due.
import { validationError } from "./aws-error.ts";
import { admitScheduled } from "./iam/admit.ts";
import { jsonService, REST_ROUTES } from "./operations.ts";
import { restCall } from "./rest-routes.ts";
import type { World } from "./world.ts";

type Members = { readonly [member: string]: unknown };

/** `putFunctionConcurrency` and `PutFunctionConcurrency` are the same. */
const sameName = (a: string, b: string): boolean => a.toLowerCase() === b.toLowerCase();

export interface ScheduledCall {
  /** ARN of the role that it is made as. */
  readonly role: string;
  readonly service: string;
  readonly action: string;
  readonly input: Members;
}

/** The operation's output. Rejects with AwsError, or with NoAnswer where a test planned that. */
export async function callOperation(
  world: World,
  { role, service, action, input }: ScheduledCall,
): Promise<Members> {
  const route = REST_ROUTES.find((each) => each.service === service && sameName(each.name, action));
  if (route !== undefined) {
    admitScheduled(world, role, { service, action: route.name, input });
    const call = restCall(route, input);
    const what = (): string => `${JSON.stringify(call.labels)} ${call.query}`;
    const named = { service, action: route.name, what };
    const { body = {} } = await world.planned.run(named, () => route.operation(world, call));
    return typeof body === "string" ? { Payload: body } : (body as Members);
  }
  const operations = jsonService(service)?.operations ?? {};
  const name = Object.keys(operations).find((each) => sameName(each, action));
  if (name === undefined) throw validationError(`local AWS has no ${service}:${action}`);
  const known = { cloudwatchlogs: "logs", eventbridge: "events" }[service] ?? service;
  admitScheduled(world, role, { service: known, action: name, input });
  const named = { service, action: name, what: () => JSON.stringify(input) };
  return (await world.planned.run(named, async () =>
    operations[name]!(world, input, world.account),
  )) as Members;
}
