// `gatecrash init`: a first scenario for a template, made from what local AWS deploys of it.
import { existsSync, readdirSync, writeFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { Command } from "commander";
import { GatecrashError, messageOf } from "../core/error.ts";
import { EXIT } from "../core/exit.ts";
import type { CommandContext } from "./context.ts";
import { deployedFront } from "./init-front.ts";
import { firstScenario } from "./init-text.ts";
import { startLocalProcess } from "./local-process.ts";

interface InitOptions {
  readonly out: string;
}

const EXAMPLES = `
Examples:
  gatecrash init                                   template.yaml of this folder
  gatecrash init cdk.out/Shop.template.json        after: cdk synth
  gatecrash init .aws-sam/build/template.yaml      after: sam build, where code is compiled

Starts a local AWS with the template, asks it for outputs, routes and functions, sends one GET to
the route that is chosen, on this machine, and ends it again. Exit codes: 0 written, 64 not written
`;

/** In this order; what a build writes comes first, since it is what can be run. */
const USUAL = [".aws-sam/build/template.yaml", "template.yaml", "template.yml", "template.json"];
const SYNTHESIZED = "cdk.out";

export function initCommand(context: CommandContext): Command {
  return new Command("init")
    .description("Write a first scenario for your SAM, CDK or CloudFormation template.")
    .argument("[template]", "the template that you deploy (default: the usual names)")
    .option("--out <file>", "scenario to write, never over another", "scenario.yaml")
    .addHelpText("after", EXAMPLES)
    .action(async (given: string | undefined, { out }: InitOptions) => {
      const template = resolve(given ?? usualTemplate());
      if (!existsSync(template))
        throw new GatecrashError("usage", `${given}: no such file`, { hint: HOW });
      const file = resolve(out);
      const folder = dirname(file);
      const { endpoint, outputs, stop } = await startLocalProcess({ ...ALONE, template });
      try {
        const front = await deployedFront(endpoint, outputs);
        const schema = PACKAGE === null ? "" : join(PACKAGE, "schema", "scenario.schema.json");
        const names = {
          template: relative(folder, template),
          schema: schema && relative(folder, schema),
        };
        write(file, firstScenario({ ...names, outputs, front }));
      } finally {
        await stop();
      }
      context.out(`${out} is written. Read it, change it, then:\n${next(out)}`);
      context.exit(EXIT.pass);
    });
}

const ALONE = { port: 0, scale: 1, concurrency: 1000, unreservedMinimum: 100, scalingBucket: 1000 };
const HOW = "gatecrash init <template>; see gatecrash init --help";

function usualTemplate(): string {
  const usual = USUAL.find((name) => existsSync(name));
  if (usual !== undefined) return usual;
  const stacks = existsSync(SYNTHESIZED) ? readdirSync(SYNTHESIZED) : [];
  const [stack, another] = stacks.filter((name) => name.endsWith(".template.json"));
  if (stack === undefined)
    throw new GatecrashError("usage", "there is no template in this folder", { hint: HOW });
  if (another !== undefined)
    throw new GatecrashError("usage", `${SYNTHESIZED} has several stacks`, { hint: HOW });
  return join(SYNTHESIZED, stack);
}

/** The folder of this package; null where it is not as it was published. */
const PACKAGE =
  ["../..", "../../.."]
    .map((at) => fileURLToPath(new URL(at, import.meta.url)))
    .find((folder) => existsSync(join(folder, "schema"))) ?? null;

function write(file: string, text: string): void {
  try {
    writeFileSync(file, text, { flag: "wx" });
  } catch (cause) {
    const exists = (cause as { code?: string }).code === "EEXIST";
    throw new GatecrashError(
      "usage",
      exists ? `${file} is there already` : `cannot write ${file}: ${messageOf(cause)}`,
      { hint: "name another with --out", cause },
    );
  }
}

function next(file: string): string {
  const docs = join(PACKAGE === null ? "" : relative(".", PACKAGE), "docs");
  return `
  gatecrash lint ${file}     can it decide what it asks?
  gatecrash plan ${file}     what would it send, change and cost?
  gatecrash run ${file}      do it, against local AWS

${docs}: scenario.md has every key, criteria.md every criterion, imports.md your own logs
`;
}
