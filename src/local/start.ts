// Starts local AWS inside this process: listener, template, hosts, fronts; stops all of it.
import { GatecrashError, messageOf } from "../core/error.ts";
import type { Clock } from "../core/time.ts";
import { createWorld } from "./create-world.ts";
import { deployDependencies } from "./dependencies/deploy.ts";
import { deployedApis, deployedUrls } from "./deployed-fronts.ts";
import { dispatcher } from "./dispatch.ts";
import { type LagWatch, watchEventLoop } from "./event-loop-lag.ts";
import { deployKinesis } from "./event-sources/kinesis-factory.ts";
import { deploySqs } from "./event-sources/sqs-factory.ts";
import { startFronts } from "./fronts.ts";
import type { FunctionSpec } from "./function-host.ts";
import { readRoles } from "./iam/read-roles.ts";
import { deployFunction } from "./lambda/deploy-function.ts";
import { DEFAULTS, type LocalAwsOptions } from "./options.ts";
import { type OwnRoutes, ownRoute } from "./own-routes.ts";
import { deploySchedules } from "./scheduler/deploy.ts";
import { loadTemplate } from "./template/load-template.ts";
import { withFronts } from "./template/names.ts";
import { readTemplate } from "./template/read-yaml.ts";
import type { FrontAddress, Template } from "./template/types.ts";
import { type Listener, listen } from "./wire/listener.ts";
import type { WireHandler } from "./wire/request.ts";
import type { World } from "./world.ts";

export interface LocalAws {
  /** `http://127.0.0.1:PORT`, for every AWS SDK and command line. */
  readonly endpoint: string;
  readonly outputs: { readonly [name: string]: string };
  /** Resolves when `POST /_local/stop` asked for an end. */
  readonly stopAsked: Promise<void>;
  /** Time without any request to the endpoint or through a front. */
  idleMs(): number;
  /** Whether any control-plane write was carried out: then somebody may want to put it back. */
  changed(): boolean;
  stop(): Promise<void>;
}

/** Throws a GatecrashError: `scenario` for the template, `local` when the port is taken. */
export async function startLocalAws(
  given: Partial<LocalAwsOptions> & { readonly template: string },
  clock?: Clock,
): Promise<LocalAws> {
  const options = { ...DEFAULTS, ...given };
  const started = new Started(options, clock);
  try {
    await started.start();
    return started;
  } catch (thrown) {
    await started.stop();
    throw thrown;
  }
}

class Started implements LocalAws {
  endpoint = "";
  outputs: { readonly [name: string]: string } = {};
  readonly stopAsked: Promise<void>;
  readonly #askStop: () => void;
  readonly #options: LocalAwsOptions;
  readonly #world: World;
  readonly #lag: LagWatch = watchEventLoop();
  readonly #fronts: { close(): Promise<void> }[] = [];
  readonly #sweep: NodeJS.Timeout;
  #listener: Listener | undefined;
  #lastRequestMs: number;
  #handler: WireHandler = async () => STARTING;
  #stopped: Promise<void> | undefined;

  constructor(options: LocalAwsOptions, clock: Clock | undefined) {
    this.#options = options;
    this.#world = createWorld(options, clock);
    this.#lastRequestMs = this.#world.clock.wallMs();
    let ask = (): void => {};
    this.stopAsked = new Promise((resolve) => {
      ask = resolve;
    });
    this.#askStop = ask;
    this.#sweep = setInterval(() => this.#tick(), 1_000).unref();
  }

  async start(): Promise<void> {
    const { clock } = this.#world;
    this.#listener = await this.#listen();
    this.endpoint = `http://127.0.0.1:${this.#listener.port}`;
    this.#world.queues.endpoint = this.endpoint;
    const { template: file, ...place } = this.#options;
    const template = loadTemplate({ ...place, file, endpoint: this.endpoint });
    declareFunctions(this.#world, template);
    this.#putRoles();
    for (const group of template.logGroups) this.#world.logs.ensureGroup(group);
    for (const { name, settings } of template.queues) this.#world.queues.create(name, settings);
    for (const bus of template.eventBuses)
      this.#world.eventBuses.add({ ...bus, createdMs: clock.wallMs() });
    for (const rule of template.eventRules) this.#world.eventBuses.addRule(rule);
    for (const alarm of template.alarms) this.#world.alarms.add(alarm, clock.wallMs());
    for (const { name, settings } of template.streams)
      this.#world.streams.create(name, settings, true);
    for (const bucket of template.buckets) this.#world.objects.createBucket(bucket);
    for (const table of template.tables) await this.#world.tables.deployed(table);
    const touched = (): void => {
      this.#lastRequestMs = clock.wallMs();
    };
    const fronts = await startFronts(this.#world, template, this.#options.scale, touched);
    this.#fronts.push(...fronts);
    const specs = await deployDependencies(
      template.dependencies,
      template.functions.map(({ spec }) => withFrontHosts(spec, fronts)),
      {
        dependencies: this.#world.dependencies,
        endpoint: this.endpoint,
        gone: this.#askStop, // what reaches no dependency any more must not be measured
      },
    );
    await Promise.all(
      template.functions.map(async (declared, at) => {
        await deployFunction(this.#world, { ...declared, spec: specs[at]! });
      }),
    );
    deploySqs(this.#world, template.mappings, this.#options.scale);
    deployKinesis(this.#world, template.streamMappings);
    deploySchedules(this.#world.schedules, template.schedules);
    this.outputs = template.outputs(fronts);
    this.#world.deployment.outputs = this.outputs;
    Object.assign(this.#world.deployment, deployedApis(template, fronts));
    this.#world.deployment.usage = template.usage;
    this.#world.deployment.urls = deployedUrls(template, fronts);
    this.#world.deployment.domains = template.domains;
    this.#world.deployment.edges = template.edges;
    const own: OwnRoutes = {
      outputs: this.outputs,
      lag: this.#lag,
      startedMs: clock.wallMs(),
      stop: () => setImmediate(this.#askStop), // its answer goes out first
    };
    const aws = dispatcher(this.#world);
    this.#handler = async (request) =>
      request.path.startsWith("/_local/") ? ownRoute(this.#world, own, request) : aws(request);
  }

  idleMs(): number {
    return this.#world.clock.wallMs() - this.#lastRequestMs;
  }

  changed(): boolean {
    return this.#world.audit.length > 0;
  }

  stop(): Promise<void> {
    this.#stopped ??= this.#stopAll();
    return this.#stopped;
  }

  async #stopAll(): Promise<void> {
    clearInterval(this.#sweep);
    this.#lag[Symbol.dispose]();
    this.#world.asyncQueue[Symbol.dispose]();
    this.#world.mappings[Symbol.dispose]();
    this.#world.queues[Symbol.dispose]();
    this.#world.schedules[Symbol.dispose]();
    await Promise.allSettled([
      this.#listener?.close(),
      ...this.#fronts.map((front) => front.close()),
    ]);
    const { functions, dependencies } = this.#world;
    await Promise.allSettled([functions, dependencies].map((each) => each[Symbol.asyncDispose]()));
  }

  async #listen(): Promise<Listener> {
    try {
      return await listen(this.#options.port, (request) => {
        this.#lastRequestMs = this.#world.clock.wallMs();
        return this.#handler(request);
      });
    } catch (cause) {
      const { port } = this.#options;
      throw new GatecrashError("local", `cannot listen on port ${port}: ${messageOf(cause)}`, {
        hint: "leave --port out to take a free one",
        cause,
      });
    }
  }

  #putRoles(): void {
    const { account, roles, logsAccount, logsRoles } = this.#options;
    for (const [of, file] of [
      [account, roles],
      [logsAccount, logsRoles],
    ])
      if (of !== undefined && file !== undefined)
        this.#world.roles.put(of, readRoles(readTemplate(file).value, file));
  }

  /** Once a second: idle environments end, and long invocations show in the concurrency metrics. */
  #tick(): void {
    const { admission, functions, clock, lambdaMetrics, sqsMetrics, queues, alarms } = this.#world;
    sqsMetrics.sample(queues.all(), queues.now());
    alarms.evaluate(clock.wallMs());
    for (const { name, environment } of admission.expire(clock.nowUs()))
      functions.get(name)?.forget(environment);
    for (const fn of functions.all()) {
      const { name } = fn;
      fn.restUnused();
      const now = admission.concurrency(name);
      if (now.function > 0) lambdaMetrics.concurrency(name, clock.wallMs(), now);
    }
  }
}

const STARTING = {
  status: 503,
  headers: { "content-type": "application/json" },
  body: '{"message":"local AWS is starting"}',
};

const PROVISIONED = "ProvisionedConcurrencyConfig";

/** Deploying would fail, too, if reservations left less than the minimum. */
function declareFunctions({ admission }: World, template: Template): void {
  const { unreservedMinimum } = admission.account;
  for (const { spec, alias, provisioned } of template.functions) {
    const { logicalId, reserved } = spec;
    const refuse = (what: string, property: string): never => {
      const place = template.placeOfProperty(logicalId, property);
      throw new GatecrashError("scenario", `${logicalId} ${what}`, { place });
    };
    admission.declare(spec.name, { reserved, provisioned: 0 });
    admission.provision(spec.name, alias ?? "", provisioned);
    if (reserved !== null && provisioned > reserved)
      refuse(`provisions ${provisioned} of ${reserved} reserved (after scale)`, PROVISIONED);
    if (reserved === null && provisioned === 0) continue;
    const left = admission.unreservedPool();
    if (left >= unreservedMinimum) continue;
    const takes = reserved === null ? `provisions ${provisioned}` : `reserves ${reserved}`;
    refuse(
      `${takes} (after scale), which would leave ${left} unreserved; the minimum is ` +
        `${unreservedMinimum}`,
      reserved === null ? PROVISIONED : "ReservedConcurrentExecutions",
    );
  }
}

function withFrontHosts(spec: FunctionSpec, fronts: readonly FrontAddress[]): FunctionSpec {
  const entries = Object.entries(spec.environment);
  const environment = entries.map(([key, text]) => [key, withFronts(text, fronts)]);
  return { ...spec, environment: Object.fromEntries(environment) as FunctionSpec["environment"] };
}
