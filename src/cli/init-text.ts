// The text of a first scenario: short, about what is there, with what comes next as comments.
import { type Front, pathAfter } from "./init-front.ts";

export interface FirstScenario {
  /** Relative to the scenario. */
  readonly template: string;
  /** The JSON Schema for editors, relative to the scenario; "" = not found. */
  readonly schema: string;
  readonly outputs: { readonly [name: string]: string };
  readonly front: Front | null;
}

/** A scenario that can be read, linted and run as it is; without a URL it says what is missing. */
export function firstScenario({
  template,
  schema,
  outputs,
  front: declared,
}: FirstScenario): string {
  const functions = Object.entries(outputs).filter(([, value]) => FUNCTION.test(value));
  const { front, behind, victim } = victimOf(declared, functions);
  const broken = victim?.[0] ?? null;
  return [
    ...(schema === "" ? [] : [`# yaml-language-server: $schema=${schema}`]),
    "gatecrash: 1",
    `title: ${titleOf(front, broken)}`,
    `template: ${template}`,
    "allow:",
    `  hosts: [${front === null ? "" : reference(front.output)}] # where loads may be sent`,
    `  change: [${broken === null ? "" : reference(broken)}] # what faults may change, by ARN`,
    "phases:",
    "  - before: 40s",
    ...(broken === null ? [] : ["  - broken: 15s", "  - after: 20s"]),
    ...loadOf(front),
    ...(broken === null ? faultless(behind) : faultOf(broken)),
    "accept:",
    "  - callers.p99 <= 500ms during before primary # your own limit",
    "  - callers.errors.rate <= 1% during before primary",
    ...(broken === null ? [] : ["  - recovery(broken) <= 10s"]),
    ...ACCOUNT,
    "",
  ].join("\n");
}

interface Victim {
  /** With the route that reaches it, where another one than the first is taken. */
  readonly front: Front | null;
  readonly behind: string | null;
  /** Output and ARN. */
  readonly victim: readonly [string, string] | undefined;
}

/** The function behind the first route that reads; else behind the next one that has an output. */
function victimOf(front: Front | null, functions: readonly [string, string][]): Victim {
  const outputOf = (behind: string | null) =>
    functions.find(([, arn]) => arn === behind) ?? functions.find(isPart(behind));
  const behind = front?.chosen?.functionArn ?? null;
  const first = { front, behind, victim: outputOf(behind) };
  if (front === null || first.victim !== undefined) return first;
  const next = front.others.find(({ route }) => outputOf(route.functionArn) !== undefined);
  if (next === undefined) return first;
  const { route, status } = next;
  const its = route.functionArn;
  return { front: { ...front, chosen: route, status }, behind: its, victim: outputOf(its) };
}

const FUNCTION = /^arn:aws[a-z-]*:lambda:[^:]+:\d+:function:[^:]+(:[^:]+)?$/;

/** The route may go to an alias, whose function the output names, or the other way round. */
const isPart =
  (behind: string | null) =>
  ([, arn]: [string, string]): boolean =>
    behind !== null && (behind.startsWith(`${arn}:`) || arn.startsWith(`${behind}:`));

const reference = (output: string): string => `"{{outputs.${output}}}"`;

function titleOf(front: Front | null, broken: string | null): string {
  const asked = front?.chosen ? `${front.chosen.method} ${front.chosen.path}` : "it";
  const while_ = broken === null ? "" : `, and come back after ${broken} was gone`;
  return JSON.stringify(`Does ${asked} answer in time${while_}?`);
}

function loadOf(front: Front | null): string[] {
  if (front === null)
    return [
      "# No output of the template is a URL. Add one to it, deploy, and write this file again:",
      "#   Outputs: { ApiUrl: { Value: !GetAtt <HttpApi>.ApiEndpoint } }",
      "loads: {}",
    ];
  const { output, url, routes, chosen, status } = front;
  const all = routes.map((route) => `${route.method} ${route.path}`);
  const refused = status !== null && status >= 400 && status < 500;
  return [
    "loads:",
    "  callers:",
    "    rate: { at: 60/s, arrivals: poisson }",
    `    http: { url: "{{outputs.${output}}}${pathAfter(url, chosen)}", timeout: 3s }`,
    ...(refused
      ? [`    ok: { status: [200-299, ${status}] } # local AWS, which is empty, answered ${status}`]
      : []),
    ...(all.length > 0 ? [`    # routes of the template: ${all.join(", ")}`] : []),
    "    # a log of yours in place of rate: and the path (what can be replayed: gatecrash import):",
    "    #   replay: { file: access.log, window: busiest 10m, speed: 10 }",
    '    # a load that writes (in the file, one line: {"orderId":"{{uuid}}"}):',
    "    #   http: { url: …, method: POST }",
    "    #   body: { template: body.json, why: data of a test tenant }",
  ];
}

const faultless = (behind: string | null): string[] => [
  "# No fault yet: no output of the template is the ARN of the function behind the load",
  ...(behind === null ? [] : [`# (${behind}).`]),
  "# Add one to it, to allow.change the output, and the phases broken and after; then",
  "#   faults:",
  '#     - reserved-concurrency: { function: "{{outputs.FunctionArn}}", to: 0 }',
  "#       during: broken",
];

const faultOf = (output: string): string[] => [
  "faults: # docs/faults.md has the others",
  `  - reserved-concurrency: { function: ${reference(output)}, to: 0 }`,
  "    during: broken",
  "steady: # holds before a fault, and from `recovery` on",
  "  - callers.errors.rate <= 1%",
];

const ACCOUNT = [
  "# environments: # an account of AWS (docs/aws-setup.md), for plan and run with --env staging",
  "#   staging:",
  '#     account: "111111111111"',
  "#     aws-region: eu-west-1",
  "#     outputs: { cloudformation: <name of the stack> }",
];
