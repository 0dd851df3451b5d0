// ListFunctionUrlConfigs: at most one, with the loopback address in place of AWS's own host.
import type { World } from "../world.ts";
import { nameOf } from "./function-name.ts";
import { page } from "./page.ts";
import type { RestAnswer, RestCall } from "./rest-call.ts";

export function listFunctionUrlConfigs(world: World, call: RestCall): RestAnswer {
  const { name } = world.functions.find(world.functions.parse(call.segment, call.query));
  const { urls, createdMs } = world.deployment;
  const found = urls.filter(({ functionName }) => nameOf(functionName) === name);
  const at = new Date(createdMs).toISOString();
  const { items, next } = page(found, call.query);
  const configs = items.map(({ url, functionName, iam }) => ({
    ...{ FunctionUrl: url, FunctionArn: world.functions.arn(functionName) },
    ...{ AuthType: iam ? "AWS_IAM" : "NONE", InvokeMode: "BUFFERED" },
    ...{ CreationTime: at, LastModifiedTime: at },
  }));
  return { status: 200, body: { FunctionUrlConfigs: configs, ...next } };
}
