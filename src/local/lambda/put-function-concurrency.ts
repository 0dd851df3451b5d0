// PutFunctionConcurrency: reserves, unless too little would be left to everybody else.
import { invalidParameter, validationError } from "../aws-error.ts";
import { audit, type World } from "../world.ts";
import { jsonBody, type RestAnswer, type RestCall } from "./rest-call.ts";
import { unqualifiedFunction } from "./unqualified.ts";

export function putFunctionConcurrency(world: World, call: RestCall): RestAnswer {
  const { name, arn } = unqualifiedFunction(world, call, ":$LATEST");
  const wanted = wantedOf(jsonBody(call.body));
  const { admission } = world;
  const limits = admission.limitsOf(name);
  if (wanted < limits.provisioned)
    throw invalidParameter(
      ` ReservedConcurrentExecutions  ${wanted} should not be lower than function's total ` +
        `provisioned concurrency [${limits.provisioned}].`,
    );
  const { unreservedMinimum } = admission.account;
  if (admission.unreservedPool(name) - wanted < unreservedMinimum)
    throw invalidParameter(
      "Specified ReservedConcurrentExecutions for function decreases account's " +
        `UnreservedConcurrentExecution below its minimum value of [${unreservedMinimum}].`,
    );
  admission.reserve(name, wanted);
  const body = { ReservedConcurrentExecutions: wanted };
  audit(world, "PutFunctionConcurrency", arn, body);
  return { status: 200, body };
}

function wantedOf(input: { readonly [key: string]: unknown }): number {
  const wanted = input.ReservedConcurrentExecutions;
  const refuse = (value: string, constraint: string): never => {
    throw validationError(
      `1 validation error detected: Value ${value} at 'reservedConcurrentExecutions' failed to ` +
        `satisfy constraint: ${constraint}`,
    );
  };
  if (typeof wanted !== "number" || !Number.isInteger(wanted))
    return refuse("null", "Member must not be null");
  if (wanted < 0) return refuse(`'${wanted}'`, "Member must have value greater than or equal to 0");
  return wanted;
}
