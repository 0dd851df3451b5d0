// SSM Parameter Store: put, get, delete. A SecureString's value is never in the audit.
import { AwsError, validationError } from "../aws-error.ts";
import type { JsonInput } from "../wire/aws-json.ts";
import { audit, type World } from "../world.ts";
import type { Parameter } from "./parameter.ts";

/** A standard parameter's value. */
const VALUE_BYTES_MAX = 4_096;
const NAME = /^[\w./-]{1,1011}$/;
const TYPES: readonly Parameter["type"][] = ["String", "StringList", "SecureString"];

export function putParameter(world: World, input: JsonInput): object {
  const name = nameOf(input);
  const known = world.parameters.get(name);
  if (known !== undefined && input.Overwrite !== true)
    throw new AwsError(
      "ParameterAlreadyExists",
      400,
      "The parameter already exists. To overwrite this value, set the overwrite option in the " +
        "request to true.",
    );
  const type = TYPES.find((each) => each === (input.Type ?? known?.type));
  if (type === undefined) throw validationError("A parameter type is required.");
  if (typeof input.Value !== "string" || input.Value === "")
    throw validationError("A parameter value is required.");
  if (Buffer.byteLength(input.Value) > VALUE_BYTES_MAX)
    throw validationError("Standard tier parameters support a maximum of 4096 characters.");
  const version = (known?.version ?? 0) + 1;
  const modifiedMs = world.clock.wallMs();
  world.parameters.set(name, { name, type, value: input.Value, version, modifiedMs });
  audit(world, "PutParameter", arnOf(world, name), { Type: type, Version: version });
  return { Version: version, Tier: "Standard" };
}

export function getParameter(world: World, input: JsonInput): object {
  const found = world.parameters.get(nameOf(input));
  if (found === undefined) throw notFound();
  const { name, type, value, version, modifiedMs } = found;
  const isHidden = type === "SecureString" && input.WithDecryption !== true;
  return {
    Parameter: {
      Name: name,
      Type: type,
      Value: isHidden ? Buffer.from(`encrypted ${name} ${version}`).toString("base64") : value,
      Version: version,
      LastModifiedDate: modifiedMs / 1_000,
      ARN: arnOf(world, name),
      DataType: "text",
    },
  };
}

export function deleteParameter(world: World, input: JsonInput): object {
  const name = nameOf(input);
  if (!world.parameters.delete(name)) throw notFound();
  audit(world, "DeleteParameter", arnOf(world, name));
  return {};
}

function nameOf({ Name: name }: JsonInput): string {
  if (typeof name === "string" && NAME.test(name)) return name;
  throw validationError("Parameter name must be a fully qualified name.");
}

const arnOf = ({ region, account }: World, name: string): string =>
  `arn:aws:ssm:${region}:${account}:parameter${name.startsWith("/") ? "" : "/"}${name}`;

const notFound = (): AwsError => new AwsError("ParameterNotFound", 400, "");
