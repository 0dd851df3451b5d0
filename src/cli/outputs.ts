// Outputs of a deployment: of a CloudFormation stack, of Terraform's and the CDK's files, of SSM.
import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { AwsFailure, type ControlPlane } from "../core/change.ts";
import { GatecrashError, messageOf } from "../core/error.ts";
import type { EnvironmentSpec } from "../core/scenario.ts";

export interface Outputs {
  readonly [name: string]: string;
}

export interface Deployed {
  readonly outputs: Outputs;
  /** Of the stack, where there is one. */
  readonly tags: { readonly [key: string]: string };
}

/** All sources together; two that contradict each other are an error. */
export async function readDeployment(
  { dir, file }: { readonly dir: string; readonly file: string },
  { name, outputs: sources }: EnvironmentSpec,
  control: ControlPlane,
): Promise<Deployed> {
  const found: { [name: string]: string } = {};
  const tags: { [key: string]: string } = {};
  for (const [source, where] of Object.entries(sources)) {
    const more = await readSource(source, where, dir, control);
    for (const [key, value] of Object.entries(more.outputs)) {
      if (found[key] !== undefined && found[key] !== value)
        throw new GatecrashError("scenario", `${name}: two sources give the output ${key}`, {
          hint: `${source}: ${where} has ${value}, another one ${found[key]}`,
          place: { file },
        });
      found[key] = value;
    }
    Object.assign(tags, more.tags);
  }
  return { outputs: found, tags };
}

async function readSource(
  source: string,
  where: string,
  dir: string,
  control: ControlPlane,
): Promise<Deployed> {
  if (source === "cloudformation") return ofStack(where, control);
  const outputs =
    source === "ssm"
      ? await ofParameters(where, control)
      : await ofFile(source, resolve(dir, where));
  return { outputs, tags: {} };
}

interface Stack {
  readonly StackStatus?: string;
  readonly Outputs?: readonly { readonly OutputKey?: string; readonly OutputValue?: string }[];
  readonly Tags?: readonly { readonly Key?: string; readonly Value?: string }[];
}

async function ofStack(name: string, control: ControlPlane): Promise<Deployed> {
  const what = `the outputs of the stack ${name}`;
  const answer = await told(what, () =>
    control.call("cloudformation", "DescribeStacks", { StackName: name }),
  );
  const [stack] = (answer.Stacks ?? []) as readonly Stack[];
  if (stack === undefined) throw new GatecrashError("aws", `there is no stack ${name}`);
  const status = stack.StackStatus ?? "";
  if (status.endsWith("_IN_PROGRESS"))
    throw new GatecrashError("refused", `the stack ${name} is being changed: ${status}`, {
      hint: "wait until it is deployed: a run across a deployment proves nothing",
    });
  const outputs = stack.Outputs ?? [];
  const tags = stack.Tags ?? [];
  return {
    outputs: Object.fromEntries(outputs.map((one) => [one.OutputKey, one.OutputValue])) as Outputs,
    tags: Object.fromEntries(tags.map(({ Key, Value }) => [Key, Value])) as Outputs,
  };
}

/** `/shop/stg/ApiUrl` is the output `ApiUrl`. SecureStrings are secrets and stay where they are. */
async function ofParameters(path: string, control: ControlPlane): Promise<Outputs> {
  const root = path.endsWith("/") ? path : `${path}/`;
  const found: { [name: string]: string } = {};
  const answer = await told(`the parameters below ${root}`, () =>
    control.call("ssm", "GetParametersByPath", { Path: root, Recursive: false }),
  );
  const parameters = (answer.Parameters ?? []) as readonly {
    readonly [key in "Name" | "Type" | "Value"]?: string;
  }[];
  for (const { Name = "", Type, Value = "" } of parameters)
    if (Type !== "SecureString") found[Name.slice(root.length)] = Value;
  if (Object.keys(found).length === 0)
    throw new GatecrashError("input", `there are no parameters below ${root}`);
  return found;
}

async function told<T>(what: string, ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (cause) {
    if (!(cause instanceof AwsFailure)) throw cause;
    throw new GatecrashError("aws", `cannot read ${what}: ${cause.name}: ${cause.message}`, {
      hint: "is it the right account and region, and may the observe identity read it?",
      cause,
    });
  }
}

/** As Terraform (`output -json`) and the CDK (`--outputs-file`) write them. */
async function ofFile(source: string, file: string): Promise<Outputs> {
  const place = { file };
  let parsed: unknown;
  try {
    parsed = JSON.parse(await readFile(file, "utf8"));
  } catch (cause) {
    throw new GatecrashError("input", `no outputs there: ${messageOf(cause)}`, { place, cause });
  }
  if (typeof parsed !== "object" || parsed === null || Array.isArray(parsed))
    throw new GatecrashError("input", "outputs are an object, by name", { place });
  const flat = source === "cdk" ? Object.assign({}, ...Object.values(parsed)) : parsed;
  const plain = Object.entries(flat).filter(([, value]) => !isSensitive(value));
  return Object.fromEntries(plain.map(([key, value]) => [key, outputText(value)]));
}

/** What Terraform calls sensitive may not stand in a run's files. */
function isSensitive(value: unknown): boolean {
  return typeof value === "object" && value !== null && Reflect.get(value, "sensitive") === true;
}

function outputText(value: unknown): string {
  const inner =
    typeof value === "object" && value !== null && "value" in value ? value.value : value;
  return typeof inner === "string" ? inner : JSON.stringify(inner);
}
