// Calls an operation of local AWS by service and name, without a wire: what schedules do when due.
import { validationError } from "./aws-error.ts";
import { jsonService, REST_ROUTES } from "./operations.ts";
import { restCall } from "./rest-routes.ts";
import type { World } from "./world.ts";

type Members = { readonly [member: string]: unknown };

/** `putFunctionConcurrency` and `PutFunctionConcurrency` are the same. */
const sameName = (a: string, b: string): boolean => a.toLowerCase() === b.toLowerCase();

/** The operation's output. Rejects with AwsError, or with NoAnswer where a test planned that. */
export async function callOperation(
  world: World,
  service: string,
  action: string,
  input: Members,
): Promise<Members> {
  const route = REST_ROUTES.find((each) => each.service === service && sameName(each.name, action));
  if (route !== undefined) {
    const call = restCall(route, input);
    const what = (): string => `${JSON.stringify(call.labels)} ${call.query}`;
    const named = { service, action: route.name, what };
    const { body = {} } = await world.planned.run(named, () => route.operation(world, call));
    return typeof body === "string" ? { Payload: body } : (body as Members);
  }
  const operations = jsonService(service)?.operations ?? {};
  const name = Object.keys(operations).find((each) => sameName(each, action));
  if (name === undefined) throw validationError(`local AWS has no ${service}:${action}`);
  const named = { service, action: name, what: () => JSON.stringify(input) };
  return (await world.planned.run(named, async () => operations[name]!(world, input))) as Members;
}
