// DescribeStacks: the one stack there is, with the template's outputs.
import { AwsError } from "../aws-error.ts";
import { STACK } from "../template/names.ts";
import type { QueryCall, XmlTree } from "../wire/aws-query.ts";
import type { World } from "../world.ts";

export function describeStacks(world: World, { form }: QueryCall): XmlTree {
  const { region, account, deployment } = world;
  const id = `arn:aws:cloudformation:${region}:${account}:stack/${STACK}/local`;
  const asked = form.get("StackName");
  if (asked !== null && asked !== STACK && asked !== id)
    throw new AwsError("ValidationError", 400, `Stack with id ${asked} does not exist`);
  const outputs = Object.entries(deployment.outputs).map(([OutputKey, OutputValue]) => ({
    OutputKey,
    OutputValue,
  }));
  const stack = {
    StackName: STACK,
    StackId: id,
    CreationTime: new Date(deployment.createdMs).toISOString(),
    StackStatus: "CREATE_COMPLETE",
    Outputs: { member: outputs },
  };
  return { Stacks: { member: [stack] } };
}
