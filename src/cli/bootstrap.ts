// `gatecrash bootstrap`: prints the stack that gives a scenario its roles; creates nothing itself.

import { Command, Option } from "commander";
import { stringify } from "yaml";
import { GatecrashError } from "../core/error.ts";
import { EXIT } from "../core/exit.ts";
import { partitionOf } from "../core/partition.ts";
import { readScenario } from "../scenario/read.ts";
import { cloudFormation, type RoleStack, type Trust, terraform } from "./bootstrap-stack.ts";
import type { CommandContext } from "./context.ts";
import { type Policies, ROLES } from "./iam.ts";
import { listOption } from "./options.ts";
import { openForRights, rightsIn } from "./rights.ts";
import type { System } from "./system-contract.ts";

interface BootstrapOptions {
  readonly variant?: string;
  readonly env: string;
  readonly format: "cloudformation" | "terraform";
  readonly trust: readonly string[];
  readonly externalId?: string;
  readonly github?: string;
  readonly logs?: boolean;
}

const EXAMPLES = `
Examples:
  gatecrash bootstrap . --env staging > gatecrash-roles.yaml
  gatecrash bootstrap . --env staging --format terraform > gatecrash-roles.tf.json
  gatecrash bootstrap . --env staging --github shop/checkout      roles for its workflows
  gatecrash bootstrap . --env staging --logs                      for the account with its logs

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
    .option(
      "--trust <arn>",
      "who may take the roles; default: whoever the account lets",
      listOption,
      [],
    )
    .option("--external-id <id>", "that whoever takes them has to say")
    .option("--github <owner/repository>", "whose workflows may take them by OIDC")
    .option("--logs", "the role of the environment's account for logs, to be deployed there")
    .addHelpText("after", EXAMPLES)
    .action(async (path: string, options: BootstrapOptions) => {
      context.out(await stackText(path, options, context));
      context.exit(EXIT.pass);
    });
}

async function stackText(
  path: string,
  options: BootstrapOptions,
  context: CommandContext,
): Promise<string> {
  if (options.env === "local")
    throw new GatecrashError("usage", "local AWS needs no roles", {
      hint: "name an environment of the scenario: --env staging",
    });
  const read = readScenario(path, { variant: options.variant ?? null, environment: options.env });
  // Whoever bootstraps has no roles yet: everything is read with the credentials of the shell.
  const bare =
    read.account === null ? read : { ...read, account: { ...read.account, identities: {} } };
  const system = await openForRights(bare, "bootstrap", null, context.signal);
  const policies = await rightsIn(bare, system);
  const logs = bare.account?.logs ?? null;
  const ofLogs = options.logs === true;
  if (policies.logs !== undefined && !ofLogs)
    context.err(
      `note: the logs are in account ${logs?.account}, which this stack is not for: deploy there ` +
        "what gatecrash bootstrap --logs prints\n",
    );
  const stack = ofLogs ? logsStack(policies, options.env, system) : accountStack(policies);
  const trust = trustFrom(options, system, ofLogs ? logs?.account : system.account);
  return options.format === "terraform"
    ? `${JSON.stringify(terraform(stack, trust), null, 2)}\n`
    : stringify(cloudFormation(stack, trust), { lineWidth: 100, aliasDuplicateObjects: false });
}

function accountStack(policies: Policies): RoleStack {
  const used = ROLES.filter((role) => policies[role].Statement.length > 0);
  return {
    policies: new Map(used.map((role) => [role, policies[role]])),
    description: "What Gatecrash may do in this account.",
    ...{ suffix: "", leases: true },
  };
}

function logsStack({ logs }: Policies, env: string, { account }: System): RoleStack {
  if (logs === undefined)
    throw new GatecrashError("usage", `${env} reads no logs of another account`, {
      hint: "say where they are: logs: { account: … } in the environment; or leave --logs out",
    });
  return {
    policies: new Map([["logs", logs]]),
    description: `What Gatecrash may read in this account, for runs in ${account}.`,
    ...{ suffix: `-${account}`, leases: false },
  };
}

/** `account` is under test, and `there` has the roles. */
function trustFrom(
  { trust, externalId, github }: BootstrapOptions,
  { region, account }: System,
  there: string = account,
): Trust {
  if (github !== undefined && !/^[\w.-]+\/[\w.-]+$/.test(github))
    throw new GatecrashError("usage", `--github ${github}: write owner/repository`);
  const partition = partitionOf(region);
  const root = `arn:${partition}:iam::${account}:root`;
  const principals = trust.length > 0 || github !== undefined ? trust : [root];
  const who = { principals, externalId: externalId ?? null, github: github ?? null };
  return { account: there, partition, ...who };
}
