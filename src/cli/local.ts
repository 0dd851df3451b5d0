// `gatecrash local`: local AWS alone, for trying a template or pointing a test at it.
import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { Command } from "commander";
import { GatecrashError } from "../core/error.ts";
import type { CommandContext } from "./context.ts";
import { startLocalProcess } from "./local-process.ts";
import { numberOption } from "./options.ts";

interface LocalCommandOptions {
  readonly template: string;
  readonly port: number;
  readonly scale: number;
  readonly concurrency: number;
  readonly unreservedMinimum: number;
  readonly scalingBucket: number;
  readonly account?: string;
  readonly region?: string;
  readonly roles?: string;
  readonly logsAccount?: string;
  readonly logsGroups?: string;
  readonly logsRoles?: string;
  readonly json?: boolean;
}

const EXAMPLES = `
Examples:
  gatecrash local --template scenarios/zero-concurrency/hardened.template.yaml
  gatecrash local --template template.yaml --account 222222222222 --port 4510   (a rehearsal)
  AWS_ENDPOINT_URL=http://127.0.0.1:4510 aws lambda list-functions   (any name as credentials)
`;

export function localCommand(context: CommandContext): Command {
  const positive = numberOption({ above: 0 });
  const whole = numberOption({ least: 0, whole: true });
  return new Command("local")
    .description("Run local AWS alone, on loopback, until Ctrl-C.")
    .requiredOption("--template <file>", "the SAM template that would be deployed")
    .option("--port <n>", "port on 127.0.0.1; 0 takes any free one", whole, 0)
    .option("--scale <x>", "multiplies concurrencies and buckets", positive, 1)
    .option("--concurrency <n>", "the account's concurrency", whole, 1000)
    .option("--unreserved-minimum <n>", "what must stay unreserved", whole, 100)
    .option("--scaling-bucket <n>", "environments a function gets at once", whole, 1000)
    .option("--account <id>", "account that it plays: twelve digits (default: twelve zeros)")
    .option("--region <name>", "AWS region that it plays (default: eu-west-1)")
    .option(
      "--roles <file>",
      "stack of gatecrash bootstrap: its roles may do what it says, no more",
    )
    .option("--logs-account <id>", "another account: has copies of its log groups, and monitors it")
    .option("--logs-groups <name>", "what a copy is called there: a centralization rule's pattern")
    .option("--logs-roles <file>", "stack of gatecrash bootstrap --logs: roles of that account")
    .option("--json", "print endpoint and outputs as one JSON document")
    .addHelpText("after", EXAMPLES)
    .action(async (options: LocalCommandOptions) => {
      const template = fileOf("--template", options.template);
      const roles = {
        ...(options.roles === undefined ? {} : { roles: fileOf("--roles", options.roles) }),
        ...(options.logsRoles === undefined
          ? {}
          : { logsRoles: fileOf("--logs-roles", options.logsRoles) }),
      };
      checkAccounts(options);
      const local = await startLocalProcess({ ...options, ...roles, template });
      const { endpoint, pid, outputs } = local;
      context.out(
        options.json
          ? `${JSON.stringify({ endpoint, pid, outputs })}\n`
          : [
              `local AWS on ${endpoint} (process ${pid}); Ctrl-C ends it`,
              ...Object.entries(outputs).map(([name, value]) => `  ${name.padEnd(18)} ${value}`),
              "",
            ].join("\n"),
      );
      // The child process alone does not keep this one running.
      const alive = setInterval(() => {}, 60_000);
      try {
        await Promise.race([local.gone, aborted(context.signal)]);
      } finally {
        clearInterval(alive);
        await local.stop();
      }
    });
}

function checkAccounts({ account, logsAccount, logsGroups, logsRoles }: LocalCommandOptions): void {
  for (const [flag, id] of Object.entries({ "--account": account, "--logs-account": logsAccount }))
    if (id !== undefined && !/^\d{12}$/.test(id))
      throw new GatecrashError("usage", `${flag} takes twelve digits`);
  if (logsAccount !== undefined && logsAccount === account)
    throw new GatecrashError("usage", "--logs-account is another one than --account");
  if (logsAccount === undefined && (logsGroups ?? logsRoles) !== undefined)
    throw new GatecrashError("usage", "--logs-groups and --logs-roles go with --logs-account");
}

function fileOf(flag: string, path: string): string {
  if (existsSync(path)) return resolve(path);
  throw new GatecrashError("usage", `${flag} ${path}: no such file`);
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", () => resolve(), { once: true });
  });
}
