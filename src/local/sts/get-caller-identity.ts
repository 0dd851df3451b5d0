// GetCallerIdentity: local AWS's account, and the access key as the user's name.
import type { QueryCall } from "../wire/aws-query.ts";
import type { World } from "../world.ts";

export function getCallerIdentity(
  world: World,
  { caller }: QueryCall,
): { [member: string]: string } {
  return {
    Arn: `arn:aws:iam::${world.account}:user/${caller.accessKeyId}`,
    UserId: caller.accessKeyId,
    Account: world.account,
  };
}
