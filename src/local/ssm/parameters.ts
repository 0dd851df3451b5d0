// SSM Parameter Store: put, get, list, delete. A SecureString's value is never in the audit.
import { AwsError, validationError } from "../aws-error.ts";
import type { JsonInput } from "../wire/aws-json.ts";
import { audit, type World } from "../world.ts";
import type { Parameter } from "./parameter.ts";

/** A standard parameter's value. */
const VALUE_BYTES_MAX = 4_096;
const NAME = /^[\w./-]{1,1011}$/;
const TYPES: readonly Parameter["type"][] = ["String", "StringList", "SecureString"];

async function putParameter(world: World, input: JsonInput): Promise<object> {
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
  await world.dependencies.put(name, input.Value);
  const version = (known?.version ?? 0) + 1;
  const modifiedMs = world.clock.wallMs();
  world.parameters.set(name, { name, type, value: input.Value, version, modifiedMs });
  audit(world, "PutParameter", arnOf(world, name), { Type: type, Version: version });
  return { Version: version, Tier: "Standard" };
}

async function getParameter(world: World, input: JsonInput): Promise<object> {
  const found = await viewOf(world, nameOf(input), input.WithDecryption === true);
  if (found === null) throw notFound();
  return { Parameter: found };
}

/** Names that nothing is stored under are listed, and are no error. */
async function getParameters(world: World, input: JsonInput): Promise<object> {
  const Parameters: object[] = [];
  const InvalidParameters: string[] = [];
  for (const name of namesOf(input)) {
    const found = await viewOf(world, name, input.WithDecryption === true);
    if (found === null) InvalidParameters.push(name);
    else Parameters.push(found);
  }
  return { Parameters, InvalidParameters };
}

const PAGE_MAX = 10;

/** The parameters one level below a path, ten at most at a time. */
async function getParametersByPath(world: World, input: JsonInput): Promise<object> {
  const { Path: path, NextToken: token, MaxResults: most = PAGE_MAX } = input;
  if (typeof path !== "string" || !path.startsWith("/"))
    throw validationError("The parameter path must begin with a forward slash.");
  const root = path.endsWith("/") ? path : `${path}/`;
  const isBelow = (name: string): boolean =>
    name.startsWith(root) && (input.Recursive === true || !name.slice(root.length).includes("/"));
  const names = [...world.parameters.keys()].filter(isBelow).sort();
  const from = token === undefined ? 0 : Number(token);
  const to = from + Math.min(Number(most), PAGE_MAX);
  const isPlain = input.WithDecryption === true;
  const page = names.slice(from, to).map((name) => viewOf(world, name, isPlain));
  return {
    Parameters: await Promise.all(page),
    ...(to < names.length ? { NextToken: String(to) } : {}),
  };
}

async function viewOf(world: World, name: string, isPlain: boolean): Promise<object | null> {
  const found = world.parameters.get(name) ?? (await stateOf(world, name));
  if (found === null) return null;
  const { type, value, version, modifiedMs } = found;
  const isHidden = type === "SecureString" && !isPlain;
  return {
    Name: name,
    Type: type,
    Value: isHidden ? Buffer.from(`encrypted ${name} ${version}`).toString("base64") : value,
    Version: version,
    LastModifiedDate: modifiedMs / 1_000,
    ARN: arnOf(world, name),
    DataType: "text",
  };
}

/** Kept by whoever stands in front of a dependency, not by us. */
async function stateOf(world: World, name: string): Promise<Parameter | null> {
  const value = await world.dependencies.state(name);
  if (value === null) return null;
  return { name, type: "String", value, version: 1, modifiedMs: world.clock.wallMs() };
}

async function deleteParameter(world: World, input: JsonInput): Promise<object> {
  if (!(await remove(world, nameOf(input)))) throw notFound();
  return {};
}

async function deleteParameters(world: World, input: JsonInput): Promise<object> {
  const DeletedParameters: string[] = [];
  const InvalidParameters: string[] = [];
  for (const name of namesOf(input))
    ((await remove(world, name)) ? DeletedParameters : InvalidParameters).push(name);
  return { DeletedParameters, InvalidParameters };
}

async function remove(world: World, name: string): Promise<boolean> {
  if (!world.parameters.delete(name)) return false;
  await world.dependencies.delete(name);
  audit(world, "DeleteParameter", arnOf(world, name));
  return true;
}

export const PARAMETER_OPERATIONS = {
  PutParameter: putParameter,
  GetParameter: getParameter,
  GetParameters: getParameters,
  GetParametersByPath: getParametersByPath,
  DeleteParameter: deleteParameter,
  DeleteParameters: deleteParameters,
};

/** Of one call. */
const NAMES_MAX = 10;

function namesOf({ Names: names }: JsonInput): string[] {
  if (!Array.isArray(names) || names.length === 0 || names.length > NAMES_MAX)
    throw validationError(`Names holds 1 to ${NAMES_MAX} names.`);
  return names.map((name) => nameOf({ Name: name }));
}

function nameOf({ Name: name }: JsonInput): string {
  if (typeof name === "string" && NAME.test(name)) return name;
  throw validationError("Parameter name must be a fully qualified name.");
}

const arnOf = ({ region, account }: World, name: string): string =>
  `arn:aws:ssm:${region}:${account}:parameter${name.startsWith("/") ? "" : "/"}${name}`;

const notFound = (): AwsError => new AwsError("ParameterNotFound", 400, "");
