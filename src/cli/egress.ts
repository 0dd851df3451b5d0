// Everything outside that a run would connect to: what `plan` prints, and a test holds a run to.
import { serviceUrl } from "../aws/endpoint.ts";
import { isDirect, proxyOf } from "../aws/proxy-agent.ts";
import { isLoopback } from "../core/loopback.ts";
import type { HttpSpec, Scenario } from "../core/scenario.ts";
import { parseOrigin } from "../wire/origin.ts";
import { changesAnything } from "./changes-anything.ts";
import { cleanedOf } from "./clean-up.ts";
import { makeFault } from "./compose.ts";
import { frontsOf } from "./fronts-asked.ts";
import { readsLogs } from "./logs-account.ts";
import { heardFrom } from "./notify-sinks.ts";
import { secretsIn } from "./secrets.ts";
import type { System } from "./system-contract.ts";

export interface Egress {
  /** `host:port`. */
  readonly to: string;
  readonly why: string;
}

type Environment = { readonly [name: string]: string | undefined };

/** Each destination once. On local AWS all of them are this machine's own. */
export function egressOf(
  scenario: Scenario,
  system: System,
  env: Environment,
  close: (text: string) => string = secretsIn,
): Egress[] {
  const { notify = [] } = scenario;
  const found = new Map<string, Set<string>>();
  const add = (to: string, why: string): void => {
    found.set(to, (found.get(to) ?? new Set()).add(why));
  };
  for (const { name, target } of scenario.loads) {
    if (target.kind !== "http") continue;
    add(target.connectTo ?? hostPort(target.url), `load ${name}`);
    for (const url of tokenUrls(target, system)) add(through(url, env), `token of load ${name}`);
  }
  for (const { name, input } of scenario.sinks)
    if (typeof input.url === "string") add(hostPort(input.url), `sink ${name}`);
  const isLocal = system.environment === null;
  for (const { to, name } of heardFrom(notify, isLocal, close))
    if (to.kind === "webhook") add(through(close(to.url), env), name);
  for (const service of servicesOf(scenario, system)) {
    const url = serviceUrl(system.endpoint, service, system.region);
    add(through(url, env), `AWS ${service}`);
  }
  const { elsewhere } = system.logs;
  for (const service of logServices(scenario, system)) {
    const url = serviceUrl(system.endpoint, service, elsewhere?.awsRegion ?? system.region);
    add(through(url, env), `AWS ${service}`);
  }
  return [...found].map(([to, why]) => ({ to, why: [...why].join(", ") }));
}

function hostPort(url: string): string {
  const { host, port } = parseOrigin(url);
  return `${host}:${port}`;
}

/** AWS calls and requests of tokens go through a proxy; the load never does. */
function through(url: string, env: Environment): string {
  const isTunnelled = url.startsWith("https:") && !isLoopback(url);
  const proxy = isTunnelled ? proxyOf(env) : null;
  if (proxy === null || isDirect(new URL(url).hostname, env)) return hostPort(url);
  return `${proxy.hostname}:${proxy.port || 80}`;
}

function tokenUrls({ auth }: HttpSpec, { endpoint, region }: System): string[] {
  if (auth?.kind === "oauth") return [auth.tokenUrl];
  return auth?.kind === "cognito" ? [serviceUrl(endpoint, "cognito-idp", region)] : [];
}

/** Where a service's host has another name than its client. */
const HOSTS: { readonly [service: string]: string } = {
  cloudwatch: "monitoring",
  apigatewayv2: "apigateway",
  eventbridge: "events",
};

const hostOf = (service: string): string => HOSTS[service] ?? service;

/** In the region of the logs; another account's are read by a role that is taken there. */
function logServices(scenario: Scenario, { logs: { elsewhere } }: System): string[] {
  if (!readsLogs(scenario)) return [];
  return elsewhere === null ? ["logs"] : ["logs", "sts"];
}

/** Host prefixes of AWS's services. */
function servicesOf(scenario: Scenario, { environment }: System): string[] {
  const { loads, faults, sinks, seed, notify = [] } = scenario;
  const services = ["sts", "lambda", "monitoring"];
  const when = (holds: boolean, ...names: string[]): void => {
    if (holds) services.push(...names);
  };
  const outputs = environment?.outputs ?? {};
  when(environment !== null, "apigateway");
  const fronts = frontsOf(loads);
  when(environment !== null && fronts.distributions, "cloudfront");
  when(environment !== null && fronts.balancers, "elasticloadbalancing");
  when(outputs.cloudformation !== undefined, "cloudformation");
  when(outputs.ssm !== undefined || JSON.stringify([loads, notify]).includes("{{secret."), "ssm");
  when(
    notify.some(({ to }) => to.kind === "eventbridge"),
    "events",
  );
  // What a fault may lose is asked of queues and streams.
  when(changesAnything(scenario), "scheduler");
  when(faults.length > 0, "sqs", "kinesis");
  for (const { read, probe } of faults.map((spec) => makeFault(spec, seed)))
    services.push(hostOf(read.service), hostOf(probe.service));
  for (const { kind } of loads.map(({ target }) => target))
    when(kind === "kinesis" || kind === "sqs", kind);
  when(cleanedOf(scenario).length > 0, "sqs");
  for (const { kind } of sinks)
    when(kind === "dynamodb" || kind === "objects", kind === "objects" ? "s3" : kind);
  return [...new Set(services)];
}
