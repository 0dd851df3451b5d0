// AWS, its partition in China and that of the United States' government: what differs by region.

/** The second part of every ARN of this region. */
export function partitionOf(region: string): string {
  if (region.startsWith("cn-")) return "aws-cn";
  return region.startsWith("us-gov-") ? "aws-us-gov" : "aws";
}

/** The ARN of a resource of this account and region. */
export const arnIn = (
  { region, account }: { readonly region: string; readonly account: string },
  service: string,
  resource: string,
): string => `arn:${partitionOf(region)}:${service}:${region}:${account}:${resource}`;

/** A queue's URL as AWS makes it of its ARN; null for any other text. */
export function queueUrlOf(arn: string): string | null {
  const [, region, account, name] = QUEUE_ARN.exec(arn) ?? [];
  if (region === undefined) return null;
  const suffix = region.startsWith("cn-") ? "amazonaws.com.cn" : "amazonaws.com";
  return `https://sqs.${region}.${suffix}/${account}/${name}`;
}

const QUEUE_ARN = /^arn:aws[a-z-]*:sqs:([^:]+):(\d{12}):([^:]+)$/;
