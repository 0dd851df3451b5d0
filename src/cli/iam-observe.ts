// What whoever observes may read: control planes, logs, metrics, sinks; nothing is changed.
import { arnIn, partitionOf } from "../core/partition.ts";
import type { Scenario } from "../core/scenario.ts";
import { makeFault } from "./compose.ts";
import { frontReads } from "./fronts-asked.ts";
import { actionOf, allow, type Statement, schedules } from "./iam-statement.ts";
import { readsLogs } from "./logs-account.ts";
import type { System } from "./system-contract.ts";

/** Whose the hosts are, what is under test, with whom the pool is shared, what a fault may lose. */
const FUNCTION_READS = [
  "lambda:GetFunctionConfiguration",
  "lambda:GetFunctionConcurrency",
  "lambda:ListAliases",
  "lambda:ListFunctionEventInvokeConfigs",
];

/** APIs, domain names, usage plans, and what of them is read. */
const FRONTS = ["apis", "restapis", "domainnames"].flatMap((path) => [path, `${path}/*`]);
const frontsIn = (region: string): string[] =>
  [...FRONTS, "usageplans"].map(
    (path) => `arn:${partitionOf(region)}:apigateway:${region}::/${path}`,
  );

/** What a role in another account may read: these groups and nothing else. */
export function logsStatements({ environment }: System, groups: readonly string[]): Statement[] {
  const { account = "", awsRegion: region = "" } = environment?.logs ?? {};
  const arnOf = (group: string): string =>
    group.startsWith("arn:") ? group : arnIn({ region, account }, "logs", `log-group:${group}`);
  if (groups.length === 0) return [];
  return [
    allow(
      ["logs:FilterLogEvents"],
      [...new Set(groups)].map((one) => `${arnOf(one)}:*`),
    ),
  ];
}

export function observeStatements(scenario: Scenario, system: System): Statement[] {
  const { stopAlarms, sinks, faults, loads } = scenario;
  const { region, environment } = system;
  const { muteAlarms } = scenario;
  const outputs = environment?.outputs ?? {};
  const all = ["*"];
  const found: Statement[] = [
    allow(["lambda:GetAccountSettings", "lambda:ListFunctions"], all),
    allow(FUNCTION_READS, [arnIn(system, "lambda", "function:*")]),
    allow(["cloudwatch:GetMetricData"], all),
  ];
  const when = (holds: boolean, statement: Statement): void => {
    if (holds) found.push(statement);
  };
  const reads = frontReads(loads);
  when(reads.length > 0, allow(reads, all));
  const isFront = loads.some(({ target }) => target.kind === "http");
  const functions = [arnIn(system, "lambda", "function:*")];
  when(isFront, allow(["lambda:ListFunctionUrlConfigs"], functions));
  when(isFront, allow(["apigateway:GET"], frontsIn(region)));
  const { cloudformation, ssm } = outputs;
  const stack = arnIn(system, "cloudformation", `stack/${cloudformation}/*`);
  when(cloudformation !== undefined, allow(["cloudformation:DescribeStacks"], [stack]));
  const path = arnIn(system, "ssm", `parameter${ssm}*`);
  when(ssm !== undefined, allow(["ssm:GetParametersByPath"], [path]));
  when(
    readsLogs(scenario) && (environment?.logs ?? null) === null,
    allow(["logs:FilterLogEvents"], [arnIn(system, "logs", "log-group:*")]),
  );
  when(faults.length > 0, allow(["lambda:ListEventSourceMappings"], all));
  when(faults.length > 0, allow(["scheduler:ListSchedules"], all)); // `gatecrash status`
  when(faults.length > 0, allow(["scheduler:GetSchedule"], [schedules(system)]));
  const streams = [arnIn(system, "kinesis", "stream/*")];
  const queues = [arnIn(system, "sqs", "*")];
  const kinds = loads.map(({ target }) => target.kind);
  const isFed = (kind: string): boolean => faults.length > 0 || kinds.some((one) => one === kind);
  when(isFed("kinesis"), allow(["kinesis:DescribeStreamSummary"], streams));
  when(isFed("sqs"), allow(["sqs:GetQueueUrl", "sqs:GetQueueAttributes"], queues));
  // A plan says what a fault finds now, and what it would be refused for.
  for (const { read, looks, resources } of faults.map((spec) => makeFault(spec, scenario.seed))) {
    const calls = [read, ...(looks?.calls ?? [])];
    const actions = calls.map(({ service, action }) => actionOf(service, action));
    found.push(allow(actions, resources));
  }
  const alarms = arnIn(system, "cloudwatch", "alarm:*");
  when(
    stopAlarms.length > 0 || muteAlarms !== undefined,
    allow(["cloudwatch:DescribeAlarms"], [alarms]),
  );
  for (const { kind, input } of sinks) {
    const table = String(input.table);
    const arn = arnIn(system, "dynamodb", `table/${table.split("/").at(-1)}`);
    when(kind === "dynamodb", allow(["dynamodb:Scan"], [arn]));
    const bucket = `arn:${partitionOf(region)}:s3:::${String(input.bucket)}`;
    when(kind === "objects", allow(["s3:ListBucket"], [bucket]));
    when(kind === "objects", allow(["s3:GetObject"], [`${bucket}/*`]));
  }
  return found;
}
