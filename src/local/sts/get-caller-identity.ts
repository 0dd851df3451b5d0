// GetCallerIdentity: the session of an assumed role, or the access key as a user's name.
import type { QueryCall } from "../wire/aws-query.ts";
import type { World } from "../world.ts";

export function getCallerIdentity(
  world: World,
  { caller }: QueryCall,
): { [member: string]: string } {
  const session = world.sessions.get(caller.accessKeyId);
  if (session !== undefined)
    return { Arn: session.arn, UserId: session.id, Account: session.account };
  return {
    Arn: `arn:aws:iam::${world.account}:user/${caller.accessKeyId}`,
    UserId: caller.accessKeyId,
    Account: world.account,
  };
}
