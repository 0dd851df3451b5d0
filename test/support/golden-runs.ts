// The golden runs: one good, and the ugly ones that a report must not get wrong. Deterministic.
import type { FaultEvent, MetricPoint, PlatformRow, RunEvent } from "../../src/core/facts.ts";
import { seededRng } from "../../src/core/rng.ts";
import {
  type AttemptSpec,
  EPOCH_MS,
  planFor,
  plannedLoad,
  platformRow,
  quietEvents,
  type RunSpec,
} from "./run-directory.ts";

const S = 1_000_000;
const ARN = "arn:aws:lambda:eu-west-1:000000000000:function:checkout";
const PHASES = [
  { name: "warmup", start_us: 0, end_us: 5 * S },
  { name: "before", start_us: 5 * S, end_us: 20 * S },
  { name: "zero", start_us: 20 * S, end_us: 35 * S },
  { name: "after", start_us: 35 * S, end_us: 50 * S },
];
const ACCEPT = [
  "shopper.checkout.warm.p99 <= 300ms during before primary",
  "shopper.errors.rate <= 1% during zero primary",
  "shopper.checkout.degraded.rate >= 95% during zero",
  "shopper.checkout.degraded.rate <= 1% during after",
  "recovery(zero) <= 10s primary",
  "shopper.amplification <= 1.1",
  "function(CheckoutArn).throttles > 0",
  "shopper.dropped == 0",
];
const ONSET = 20.3 * S;
const RESTORE = 35 * S;
const CLEARED = 36.8 * S;

const uuid = (n: number): string => `00000000-0000-4000-8000-${n.toString(16).padStart(12, "0")}`;
const frontId = (n: number): string => `Front${n.toString().padStart(10, "0")}=`;

interface Shape {
  readonly hardened: boolean;
  readonly perSecond: number;
}

function faultEvents(undo: "verified" | "failed"): RunEvent[] {
  const at = (t: number, step: FaultEvent["step"], more: Partial<FaultEvent> = {}): RunEvent => {
    return { t, kind: "fault", fault: "zero", step, ...more };
  };
  const detail = "ReservedConcurrentExecutions unset → 0";
  const command =
    "aws lambda delete-function-concurrency --function-name checkout --region eu-west-1";
  return [
    at(20 * S, "asked", { fields: {}, detail }),
    at(20.02 * S, "answered"),
    at(ONSET, "onset", { probes: 3, probes_refused: 1 }),
    at(RESTORE, "restore-asked"),
    ...(undo === "failed"
      ? [at(60 * S, "failed", { detail: command })]
      : [
          at(35.03 * S, "restore-answered"),
          at(35.05 * S, "verified", { fields: {} }),
          at(CLEARED, "cleared", { probes: 9, probes_refused: 8 }),
        ]),
  ];
}

/** A shop whose checkout loses its concurrency from 20 s to 35 s. */
function shop({ hardened, perSecond }: Shape) {
  const rng = seededRng(7, "golden");
  const attempts: AttemptSpec[] = [];
  const platform: PlatformRow[] = [];
  for (let index = 0; index < perSecond * 50; index++) {
    const dueUs = Math.floor((index * S) / perSecond);
    const route = index % 4 === 0 ? 2 : 1;
    const refused = route === 1 && dueUs >= ONSET && dueUs < CLEARED;
    const cold = index < 12;
    const serviceUs = Math.round(30_000 + 40_000 * rng.next() ** 4 + (cold ? 400_000 : 0));
    const common = { index, route, dueUs, lagUs: Math.round(80 + 200 * rng.next()) };
    const id = frontId(index);
    const access = { kind: "access" as const, front_request_id: id, at: EPOCH_MS + dueUs / 1_000 };
    if (refused && !hardened) {
      platform.push(platformRow({ ...access, integration_status: 429, status: "503" }));
      attempts.push({
        ...{ ...common, serviceUs: 9_000, outcome: "errored", reason: "status", status: 503 },
        requestId: id,
      });
      continue;
    }
    platform.push(
      platformRow({ ...access, request_id: uuid(index), integration_status: 200, status: "200" }),
      platformRow({
        ...{ kind: "report", function: "checkout", version: "8", request_id: uuid(index) },
        ...{ at: EPOCH_MS + dueUs / 1_000, duration: serviceUs / 1_100, stream: `s${index % 12}` },
        ...{ init: cold ? 390 : null, memory: 256 },
        billed: Math.ceil(serviceUs / 1_100 + (cold ? 390 : 0)),
      }),
    );
    attempts.push({ ...common, serviceUs, degraded: refused, status: 200, requestId: id });
  }
  return { attempts, platform };
}

const METRICS: MetricPoint[] = [0, 1].map((minute) => ({
  namespace: "AWS/Lambda",
  metric: "Throttles",
  dimensions: { FunctionName: "checkout" },
  stat: "Sum",
  period_s: 60,
  at: EPOCH_MS + minute * 60_000,
  value: minute === 0 ? 500 : 0,
}));

function shopRun(shape: Shape, undo: "verified" | "failed" = "verified"): RunSpec {
  const { attempts, platform } = shop(shape);
  const load = plannedLoad({
    name: "shopper",
    routes: ["", "checkout", "browse"],
    end_us: 50 * S,
    resend_attempts: 1,
  });
  const plan = planFor(
    {
      title: "Checkout survives its own concurrency being taken away",
      scenario: {
        file: "scenarios/zero-concurrency/scenario.yaml",
        variant: shape.hardened ? "hardened" : "naive",
        environment: "local",
        blob: "7c1e9f4000000000000000000000000000000000",
        commit: null,
        dirty: null,
      },
      phases: PHASES,
      loads: [load],
      functions: { CheckoutArn: ARN },
      prices: {
        ...{ aws_region: "us-east-1", date: "2026-05-04" },
        ...{ lambda_request: 0.2e-6, lambda_gb_second: 0.0000166667 },
      },
      faults: [
        {
          name: "zero",
          kind: "reserved-concurrency",
          during: "zero",
          start_us: 20 * S,
          end_us: 35 * S,
          resources: [ARN],
        },
      ],
      criteria: { accept: ACCEPT, steady: ["shopper.errors.rate <= 1%"], stop_when: [] },
      joins: true,
      notes: shape.hardened
        ? ["Variant hardened has its own resend of shopper.", "At most 15 min of load."]
        : ["At most 15 min of load."],
    },
    attempts,
  );
  const steady: RunEvent = { t: 20 * S, kind: "steady", holds: true, detail: "" };
  const joined = attempts.length;
  const read = {
    kind: "collected",
    expected: joined,
    joined,
    end: "joined",
    malformed: 0,
  } as const;
  const more = [steady, ...faultEvents(undo), { t: 63 * S, ...read }];
  const events = quietEvents(62, attempts.length, more);
  const recorded = [recordedAnswers(attempts.length)];
  return { plan, events, attempts, platform, metrics: METRICS, recorded, segmentRows: 600 };
}

/** A slower shop that was out of order for one request in a hundred. */
function recordedAnswers(count: number) {
  const rng = seededRng(7, "recorded");
  return Array.from({ length: count }, (_, i) => {
    const us = Math.round(40_000 + 60_000 * rng.next() ** 3);
    return { status: i % 100 === 50 ? 500 : 200, us };
  });
}

/** Ten seconds of one load, each arrival shaped by `shape`. */
function plain(
  accept: string[],
  shape: (index: number) => Partial<AttemptSpec>,
  more: { events?: readonly RunEvent[]; perSecond?: number } = {},
): RunSpec {
  const perSecond = more.perSecond ?? 40;
  const attempts = Array.from({ length: perSecond * 10 }, (_, index) => {
    return { index, dueUs: Math.floor((index * S) / perSecond), ...shape(index) };
  });
  const criteria = { accept, steady: [], stop_when: [] };
  const plan = planFor({ loads: [plannedLoad({ name: "shopper" })], criteria }, attempts);
  return { plan, events: more.events ?? quietEvents(10, attempts.length), attempts };
}

const LIMITS = ["shopper.p99 <= 300ms", "shopper.errors.rate <= 1%"];

/** By name; each has its expected report beside its facts in test/golden/. */
export function goldenRuns(): { readonly [name: string]: () => RunSpec } {
  return {
    hardened: () => shopRun({ hardened: true, perSecond: 60 }),
    naive: () => shopRun({ hardened: false, perSecond: 60 }),
    "undo-not-verified": () => shopRun({ hardened: true, perSecond: 20 }, "failed"),
    "no-samples": () => {
      const run = plain(LIMITS, () => ({}));
      const plan = planFor({ ...run.plan, loads: [plannedLoad({ name: "shopper" })] }, []);
      return { plan, events: quietEvents(10, 0), attempts: [] };
    },
    "all-throttled": () =>
      plain(LIMITS, () => ({
        outcome: "throttled",
        refusedBy: "lambda.reserved",
        status: 429,
        serviceUs: 3_000,
      })),
    "late-generator": () => plain(LIMITS, (i) => ({ lagUs: i % 20 === 0 ? 90_000 : 200 })),
    unbalanced: () => {
      const run = plain(LIMITS, () => ({}));
      return { ...run, attempts: run.attempts.filter((attempt) => attempt.index !== 77) };
    },
    interrupted: () => {
      const stop: RunEvent = { t: 6 * S, kind: "stop", why: "signal", detail: "SIGINT" };
      return plain(LIMITS, (i) => (i >= 240 ? { outcome: "dropped", reason: "stopped" } : {}), {
        events: quietEvents(10, 400, [stop]),
      });
    },
    killed: () => plain(LIMITS, () => ({}), { events: quietEvents(10, 400).slice(0, -4) }),
    "too-few": () =>
      plain(["shopper.p99 <= 300ms", "shopper.p50 <= 100ms"], () => ({}), { perSecond: 10 }),
  };
}
