// Whose is a function, stream or queue of a load? By its ARN as the service gives it.

import { AwsFailure } from "../core/change.ts";
import { isLoopback } from "../core/loopback.ts";
import { partitionOf, queueUrlOf } from "../core/partition.ts";
import type { Item, ProofPlace, Traced } from "./proof-contract.ts";

/** A function, stream or queue of a load, by ARN, URL or name. */
export async function traceResource(
  kind: "lambda" | "kinesis" | "sqs",
  name: string,
  place: ProofPlace,
): Promise<Traced> {
  try {
    const arn = await arnOf(kind, name, place);
    const [, , , region = "", account = ""] = arn.split(":");
    if (account !== place.account)
      return { why: `it is ${arn}, of account ${account}`, foreign: true };
    if (region !== place.region) return { why: `it is in ${region}, not in ${place.region}` };
    const what = { lambda: "function", kinesis: "stream", sqs: "queue" }[kind];
    const short = kind === "lambda" ? arn.split(":function:")[1] : arn.split(/[:/]/).at(-1);
    const functions = kind === "lambda" ? [arn] : [];
    return { proof: { steps: [`${what} ${short}`], functions, names: [] } };
  } catch (error) {
    if (!(error instanceof AwsFailure)) throw error;
    return { why: `account ${place.account} does not know it: ${error.name}: ${error.message}` };
  }
}

/** An ARN of another account is not even asked for. */
async function arnOf(kind: string, name: string, place: ProofPlace): Promise<string> {
  const { control, account } = place;
  const isArn = name.startsWith("arn:");
  if (isArn && name.split(":")[4] !== account) return name;
  if (kind === "lambda") {
    const found = await control.call("lambda", "GetFunctionConfiguration", { FunctionName: name });
    return String(found.FunctionArn);
  }
  if (kind === "kinesis") {
    const input = isArn ? { StreamARN: name } : { StreamName: name };
    const found = await control.call("kinesis", "DescribeStreamSummary", input);
    const summary = (found.StreamDescriptionSummary ?? {}) as Item;
    return String(summary.StreamARN);
  }
  const { region, owner, queue } = queueOf(name, place);
  if (owner !== account || region !== place.region)
    return `arn:${partitionOf(region)}:sqs:${region}:${owner}:${queue}`;
  const QueueUrl = queueUrlOf(name) ?? name;
  const input = { QueueUrl, AttributeNames: ["QueueArn"] };
  const found = await control.call("sqs", "GetQueueAttributes", input);
  return String(((found.Attributes ?? {}) as Item).QueueArn);
}

/** Calls go to our region's SQS, which looks at a URL's path alone: its host must agree. */
function queueOf(name: string, { region: ours, endpoint }: ProofPlace) {
  const [arn, arnRegion = "", arnOwner = "", arnQueue = ""] = QUEUE_ARN.exec(name) ?? [];
  if (arn !== undefined) return { region: arnRegion, owner: arnOwner, queue: arnQueue };
  const url = URL.canParse(name) ? new URL(name) : null;
  const [, owner = "", queue = ""] = url?.pathname.split("/") ?? [];
  const [host, now, before] = QUEUE_HOST.exec(url?.hostname ?? "") ?? [];
  const isLocal = isLoopback(name) && isLoopback(endpoint);
  if (!isLocal && host === undefined)
    throw new AwsFailure("InvalidAddress", `${name} is no URL or ARN of a queue`, "", 0);
  return { region: now ?? before ?? ours, owner, queue };
}

const QUEUE_ARN = /^arn:aws[a-z-]*:sqs:([^:]+):(\d{12}):(.+)$/;
/** As AWS hands it out, and as it did before 2014. */
const QUEUE_HOST = /^(?:sqs\.([a-z0-9-]+)|([a-z0-9-]+)\.queue)\.amazonaws\.com(?:\.cn)?$/;
