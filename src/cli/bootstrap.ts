// `gatecrash bootstrap`: prints the stack that gives a scenario its roles; creates nothing itself.
import { Command, Option } from "commander";
import { stringify } from "yaml";
import { GatecrashError } from "../core/error.ts";
import { EXIT } from "../core/exit.ts";
import { readScenario } from "../scenario/read.ts";
import { resolveScenario } from "../scenario/resolve.ts";
import { cloudFormation, type Trust, terraform } from "./bootstrap-stack.ts";
import type { CommandContext } from "./context.ts";
import { policiesOf } from "./iam.ts";
import { readPriors } from "./priors.ts";
import { openSystem } from "./system.ts";

interface BootstrapOptions {
  readonly variant?: string;
  readonly env: string;
  readonly format: "cloudformation" | "terraform";
  readonly trust: readonly string[];
  readonly externalId?: string;
  readonly github?: string;
}

const EXAMPLES = `
Examples:
  gatecrash bootstrap . --env staging > gatecrash-roles.yaml
  gatecrash bootstrap . --env staging --format terraform > gatecrash-roles.tf.json
  gatecrash bootstrap . --env staging --github shop/checkout      roles for its workflows

Reads the account (outputs, what faults would change); deploy what it prints by yourself.
`;

export function bootstrapCommand(context: CommandContext): Command {
  return new Command("bootstrap")
    .description("Print the roles that a scenario needs as CloudFormation or Terraform.")
    .argument("<scenario>", "scenario file, or its folder")
    .requiredOption("--env <name>", "the account")
    .option("--variant <name>", "which system of the scenario")
    .addOption(
      new Option("--format <name>", "what is printed")
        .choices(["cloudformation", "terraform"])
        .default("cloudformation"),
    )
    .option("--trust <arn>", "who may take the roles; default: whoever the account lets", add, [])
    .option("--external-id <id>", "that whoever takes them has to say")
    .option("--github <owner/repository>", "whose workflows may take them by OIDC")
    .addHelpText("after", EXAMPLES)
    .action(async (path: string, options: BootstrapOptions) => {
      context.out(await stackText(path, options, context.signal));
      context.exit(EXIT.pass);
    });
}

const add = (value: string, before: readonly string[]): string[] => [...before, value];

async function stackText(
  path: string,
  options: BootstrapOptions,
  signal: AbortSignal,
): Promise<string> {
  if (options.env === "local")
    throw new GatecrashError("usage", "local AWS needs no roles", {
      hint: "name an environment of the scenario: --env staging",
    });
  const read = readScenario(path, { variant: options.variant ?? null, environment: options.env });
  // Whoever bootstraps has no roles yet: everything is read with the credentials of the shell.
  const bare =
    read.account === null ? read : { ...read, account: { ...read.account, identities: {} } };
  const system = await openSystem(bare, "bootstrap", null, signal);
  const scenario = resolveScenario(bare, { outputs: system.outputs, env: process.env });
  const policies = policiesOf(scenario, system, await readPriors(scenario, system));
  const trust = trustFrom(options, system.account);
  return options.format === "terraform"
    ? `${JSON.stringify(terraform(policies, trust), null, 2)}\n`
    : stringify(cloudFormation(policies, trust), { lineWidth: 100, aliasDuplicateObjects: false });
}

function trustFrom({ trust, externalId, github }: BootstrapOptions, account: string): Trust {
  if (github !== undefined && !/^[\w.-]+\/[\w.-]+$/.test(github))
    throw new GatecrashError("usage", `--github ${github}: write owner/repository`);
  const principals =
    trust.length > 0 || github !== undefined ? trust : [`arn:aws:iam::${account}:root`];
  return { account, principals, externalId: externalId ?? null, github: github ?? null };
}
