// Every Lambda operation that local AWS has, by method and path.
import {
  createEventSourceMapping,
  deleteEventSourceMapping,
  getEventSourceMapping,
  listEventSourceMappings,
  updateEventSourceMapping,
} from "../event-sources/mapping-operations.ts";
import type { RestRoute } from "../rest-routes.ts";
import { createAlias, deleteAlias, getAlias, listAliases, updateAlias } from "./aliases.ts";
import { deleteFunctionConcurrency } from "./delete-function-concurrency.ts";
import {
  deleteEventInvokeConfig,
  getEventInvokeConfig,
  listEventInvokeConfigs,
  putEventInvokeConfig,
  updateEventInvokeConfig,
} from "./event-invoke-config.ts";
import { getAccountSettings } from "./get-account-settings.ts";
import { getFunction } from "./get-function.ts";
import { getFunctionConcurrency } from "./get-function-concurrency.ts";
import { getFunctionConfiguration } from "./get-function-configuration.ts";
import { invoke } from "./invoke.ts";
import { listFunctionUrlConfigs } from "./list-function-url-configs.ts";
import { listFunctions } from "./list-functions.ts";
import {
  deleteProvisionedConcurrencyConfig,
  getProvisionedConcurrencyConfig,
  listProvisionedConcurrencyConfigs,
  putProvisionedConcurrencyConfig,
} from "./provisioned-concurrency.ts";
import { putFunctionConcurrency } from "./put-function-concurrency.ts";
import type { RestOperation } from "./rest-call.ts";
import { updateFunctionConfiguration } from "./update-function-configuration.ts";
import { deleteFunction, listVersionsByFunction, publishVersion } from "./versions.ts";

const PROVISIONED = "/2019-09-30/functions/{F}/provisioned-concurrency";

/** `{F}` is a function's name, partial or full ARN, or a UUID; a trailing slash is ignored. */
const ROUTES: readonly (readonly [method: string, path: string, RestOperation])[] = [
  ["POST", "/2015-03-31/functions/{F}/invocations", invoke],
  ["GET", "/2019-09-30/functions/{F}/concurrency", getFunctionConcurrency],
  ["PUT", "/2017-10-31/functions/{F}/concurrency", putFunctionConcurrency],
  ["DELETE", "/2017-10-31/functions/{F}/concurrency", deleteFunctionConcurrency],
  ["PUT", PROVISIONED, putProvisionedConcurrencyConfig],
  ["GET", PROVISIONED, listProvisionedConcurrencyConfigs],
  ["GET", PROVISIONED, getProvisionedConcurrencyConfig],
  ["DELETE", PROVISIONED, deleteProvisionedConcurrencyConfig],
  ["GET", "/2016-08-19/account-settings", getAccountSettings],
  ["GET", "/2015-03-31/functions/{F}", getFunction],
  ["GET", "/2015-03-31/functions/{F}/configuration", getFunctionConfiguration],
  ["PUT", "/2015-03-31/functions/{F}/configuration", updateFunctionConfiguration],
  ["GET", "/2015-03-31/functions", listFunctions],
  ["DELETE", "/2015-03-31/functions/{F}", deleteFunction],
  ["POST", "/2015-03-31/functions/{F}/versions", publishVersion],
  ["GET", "/2015-03-31/functions/{F}/versions", listVersionsByFunction],
  ["POST", "/2015-03-31/functions/{F}/aliases", createAlias],
  ["GET", "/2015-03-31/functions/{F}/aliases", listAliases],
  ["GET", "/2015-03-31/functions/{F}/aliases/{Name}", getAlias],
  ["PUT", "/2015-03-31/functions/{F}/aliases/{Name}", updateAlias],
  ["DELETE", "/2015-03-31/functions/{F}/aliases/{Name}", deleteAlias],
  ["GET", "/2021-10-31/functions/{F}/urls", listFunctionUrlConfigs],
  ["PUT", "/2019-09-25/functions/{F}/event-invoke-config", putEventInvokeConfig],
  ["GET", "/2019-09-25/functions/{F}/event-invoke-config", getEventInvokeConfig],
  ["POST", "/2019-09-25/functions/{F}/event-invoke-config", updateEventInvokeConfig],
  ["DELETE", "/2019-09-25/functions/{F}/event-invoke-config", deleteEventInvokeConfig],
  ["GET", "/2019-09-25/functions/{F}/event-invoke-config/list", listEventInvokeConfigs],
  ["POST", "/2015-03-31/event-source-mappings", createEventSourceMapping],
  ["GET", "/2015-03-31/event-source-mappings", listEventSourceMappings],
  ["GET", "/2015-03-31/event-source-mappings/{F}", getEventSourceMapping],
  ["PUT", "/2015-03-31/event-source-mappings/{F}", updateEventSourceMapping],
  ["DELETE", "/2015-03-31/event-source-mappings/{F}", deleteEventSourceMapping],
];

const INVOKE = {
  headers: { InvocationType: "x-amz-invocation-type", LogType: "x-amz-log-type" },
  payload: "Payload",
};

const apiName = (name: string): string =>
  (name[0]!.toUpperCase() + name.slice(1)).replace("EventInvoke", "FunctionEventInvoke");

/** An operation's function bears its name; `Qualifier` is always in the query. */
export const LAMBDA_ROUTES: readonly RestRoute[] = ROUTES.map(([method, path, operation]) => ({
  service: "lambda",
  name: apiName(operation.name),
  method,
  path: path.replace("{F}", path.includes("/event-source-mappings/") ? "{UUID}" : "{FunctionName}"),
  operation,
  query: { Qualifier: "Qualifier", MaxItems: "MaxItems", Marker: "Marker" },
  ...(operation === invoke ? INVOKE : {}),
  ...(operation === listProvisionedConcurrencyConfigs ? { fixed: { List: "ALL" } } : {}),
}));
