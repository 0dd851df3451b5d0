// Which rung led from each answer to its REPORT line, and what has none to find.
import { expect, test } from "vitest";
import { reportOf, requestId } from "../support/judged-run.ts";
import {
  type AttemptSpec,
  EPOCH_MS,
  planFor,
  plannedLoad,
  platformRow,
  quietEvents,
  type RunSpec,
} from "../support/run-directory.ts";

/** Eight cold starts first. */
const reports = (count: number) =>
  Array.from({ length: count }, (_, i) =>
    platformRow({
      ...{ kind: "report", function: "checkout", version: "7", request_id: requestId(i) },
      ...{ at: EPOCH_MS + i * 25, duration: 15, stream: `s${i % 8}`, init: i < 8 ? 250 : null },
    }),
  );

/** Forty a second for twenty seconds. */
function run(accept: string[], shape: (i: number) => Partial<AttemptSpec>): RunSpec {
  const attempts = Array.from({ length: 800 }, (_, index) => {
    return { index, dueUs: index * 25_000, ...shape(index) };
  });
  const criteria = { accept, steady: [], stop_when: [] };
  const plan = planFor({ loads: [plannedLoad({ name: "shopper" })], criteria }, attempts);
  return { plan, attempts, events: quietEvents(20, 800) };
}
const joined = (accept: string[], rows: number): RunSpec => ({
  ...run(accept, (i) => ({ requestId: requestId(i) })),
  platform: reports(rows),
});

test("is joined by the access log or by the id itself, and which is recorded", async () => {
  const front = (i: number) => `Front${i.toString().padStart(10, "0")}=`;
  const access = Array.from({ length: 500 }, (_, i) =>
    platformRow({
      ...{ kind: "access", front_request_id: front(i), request_id: requestId(i), status: "200" },
      integration_status: 200,
    }),
  );
  const spec: RunSpec = {
    ...run(["unjoined.rate <= 5%", "unjoined.rate <= 1%"], (i) => ({
      requestId: i < 500 ? front(i) : requestId(i % 25 === 24 ? 9_999 : i),
    })),
    platform: [...access, ...reports(800)],
  };
  const { joins, starts, criteria } = await reportOf({
    ...spec,
    plan: { ...spec.plan, joins: true },
  });
  expect(joins).toEqual({
    access_log: 500,
    request_id: 288,
    echo: 0,
    trace: 0,
    front_alone: 0,
    unjoined: 12,
  });
  expect(starts).toEqual({ cold: 8, warm: 780, provisioned: 0, unjoined: 12 });
  expect(criteria.map((c) => [c.verdict, c.estimate, c.n])).toEqual([
    ["pass", 0.015, 800],
    ["inconclusive", 0.015, 800],
  ]);
});

test("that the front answered alone misses no REPORT line", async () => {
  const line = (i: number, request: string | null) =>
    platformRow({
      ...{ kind: "access", front_request_id: `Front${i}`, request_id: request },
      integration_status: request === null ? null : 200,
    });
  const asked = (first: string | null): RunSpec => {
    const lines = Array.from({ length: 800 }, (_, i) =>
      line(i, i < 30 ? null : first && requestId(i)),
    );
    const spec = run(["unjoined.rate <= 1%"], (i) => ({ requestId: `Front${i}` }));
    const plan = { ...spec.plan, joins: true };
    return { ...spec, plan, platform: [...lines, ...reports(800)] };
  };
  const named = await reportOf(asked("x"));
  expect(named.joins).toMatchObject({ access_log: 770, front_alone: 30, unjoined: 0 });
  expect(named.criteria[0]).toMatchObject({ verdict: "pass", n: 770 });
  // A format that never names a function's request says nothing about who answered.
  const silent = await reportOf(asked(null));
  expect(silent.joins).toMatchObject({ access_log: 0, front_alone: 0, unjoined: 800 });
});

test("is joined by the id that a handler echoes, and that is recorded", async () => {
  const spec = joined(["cold.rate <= 10%"], 790);
  const loads = [{ ...spec.plan.loads[0]!, request_id_header: "x-request-id" }];
  const { joins, starts } = await reportOf({ ...spec, plan: { ...spec.plan, loads, joins: true } });
  expect(joins).toEqual({
    access_log: 0,
    request_id: 0,
    echo: 790,
    trace: 0,
    front_alone: 0,
    unjoined: 10,
  });
  expect(starts.cold).toBe(8);
});

test("is joined by a trace that one invocation alone has", async () => {
  const trace = (i: number) => `1-66aabbcc-${i.toString(16).padStart(24, "0")}`;
  // The first 20 handlers called another function in the same trace.
  const rows = reports(800).map((row, i) => ({ ...row, trace_id: trace(i) }));
  const inner = rows.slice(0, 20).map((row, i) => ({ ...row, request_id: requestId(5_000 + i) }));
  const spec: RunSpec = {
    ...run(["cold.rate <= 10%"], (i) => ({ requestId: trace(i) })),
    platform: [...inner, ...rows],
  };
  const { joins, starts } = await reportOf({ ...spec, plan: { ...spec.plan, joins: true } });
  expect(joins).toEqual({
    access_log: 0,
    request_id: 0,
    echo: 0,
    trace: 780,
    front_alone: 0,
    unjoined: 20,
  });
  expect(starts).toEqual({ cold: 0, warm: 780, provisioned: 0, unjoined: 20 });
});
