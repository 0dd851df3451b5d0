// Reads members of Kinesis's inputs; whatever breaks the service's model is AWS's error.
import { AwsError } from "../aws-error.ts";
import type { JsonInput } from "../wire/aws-json.ts";
import type { World } from "../world.ts";
import { constraint, invalidArgument, notNull, streamNotFound } from "./errors.ts";
import type { Stream } from "./stream.ts";

const NAME = /^[a-zA-Z0-9_.-]{1,128}$/;

/** As paths in validation messages are written: `streamName`. */
const pathOf = (member: string): string => member.charAt(0).toLowerCase() + member.slice(1);

export const serializationError = (message: string): AwsError =>
  new AwsError("SerializationException", 400, message);

export function textOf(input: JsonInput, member: string): string | undefined {
  const value = input[member];
  if (value === undefined || value === null) return undefined;
  if (typeof value === "string") return value;
  throw serializationError(`${member} can not be converted to a String`);
}

export function requiredText(input: JsonInput, member: string): string {
  const value = textOf(input, member);
  if (value === undefined) throw notNull(pathOf(member));
  return value;
}

/** A whole number in its range; `otherwise` when it is not given. */
export function wholeOf(
  input: JsonInput,
  member: string,
  [low, high]: readonly [number, number],
  otherwise: number,
): number {
  const value = input[member];
  if (value === undefined || value === null) return otherwise;
  if (typeof value !== "number")
    throw serializationError(`${member} can not be converted to an Integer`);
  const whole = Math.floor(value);
  if (whole < low)
    throw constraint(
      String(whole),
      pathOf(member),
      `Member must have value greater than or equal to ${low}`,
    );
  if (whole > high)
    throw constraint(
      String(whole),
      pathOf(member),
      `Member must have value less than or equal to ${high}`,
    );
  return whole;
}

export function streamNameOf(input: JsonInput, member = "StreamName"): string {
  const name = requiredText(input, member);
  if (NAME.test(name)) return name;
  throw constraint(
    name,
    pathOf(member),
    "Member must satisfy regular expression pattern: [a-zA-Z0-9_.-]+",
  );
}

/** By `StreamARN` or `StreamName`; whatever its status is. */
export function streamOf(world: World, input: JsonInput): Stream {
  const arn = textOf(input, "StreamARN");
  const { streams } = world;
  const given = arn ?? textOf(input, "StreamName");
  if (given === undefined)
    throw invalidArgument("Either StreamName or StreamARN should be provided.");
  const found = arn === undefined ? streams.get(streamNameOf(input)) : streams.byArn(arn);
  if (found !== undefined) return found;
  const name = given.slice(given.lastIndexOf("/") + 1);
  throw streamNotFound(name, world.account);
}

/** A stream that takes and gives records: one that is being created or deleted does not exist. */
export function activeStreamOf(world: World, input: JsonInput): Stream {
  const stream = streamOf(world, input);
  if (stream.status(world.streams.now().us) === "ACTIVE") return stream;
  throw streamNotFound(stream.name, world.account);
}
