// The shape of result.json as a schema; schema/result.schema.json is printed from it.
import { z } from "zod";
import { CLOCK_OFFSET, DETAILS, EFFECT, RATIOS } from "./result-details.ts";
import { CRITERIA_CHANGED, FRONTS, RETRY_AFTER, VERSIONS } from "./result-parts.ts";

const verdict = z.enum(["pass", "fail", "inconclusive", "invalid"]);
const count = z.int().min(0);
const known = z.number().nullable().describe("null = not known, or without end");

const criterion = z.strictObject({
  id: z.string().describe("made from the text alone, so it is the same in every run"),
  text: z.string(),
  kind: z.enum(["sample", "census", "ratio"]),
  primary: z.boolean(),
  window: z
    .strictObject({
      name: z.string(),
      start_ms: z.number(),
      end_ms: z.number(),
      coverage: z.number().describe("share of what was declared; under 0.8 nothing is decided"),
    })
    .nullable(),
  verdict,
  n: count,
  n_effective: z.number().nullable().describe("samples, corrected for bursts"),
  unit: z.enum(["ms", "ratio", "count", "usd", "number"]),
  estimate: known,
  low: known.describe("two-sided 95 % interval"),
  high: known,
  limit: known,
  beyond: z
    .strictObject({ count, share: z.number(), allowed: z.number() })
    .nullable()
    .describe("percentiles are judged by the share beyond the limit"),
  margin: known.describe("limit minus the deciding one-sided 95 % bound, in margin_unit"),
  margin_unit: z.enum(["ms", "ratio", "count", "usd", "number"]),
  reason: z.string(),
  needs: z.number().nullable().describe("samples needed for a decision"),
  longer_ms: known.describe("how much longer its window, or the run, takes for them at this rate"),
  blocks: count.nullable(),
});

const outcomes = {
  planned: count,
  sent: count,
  dropped: count,
  ok: count,
  throttled: count,
  errored: count,
  unknown: count,
  degraded: count,
  attempts: count,
};

const ends = z.strictObject({ low: known, high: known });

const latency = z.strictObject({
  load: z.string(),
  arm: z.string(),
  start: z.enum(["cold", "warm", "provisioned", "unjoined", "all"]),
  n: count,
  p50_ms: known,
  p90_ms: known,
  p95_ms: known,
  p99_ms: known,
  p999_ms: known,
  max_ms: known,
  intervals: z
    .strictObject({ p50_ms: ends, p95_ms: ends, p99_ms: ends })
    .describe("two-sided 95 %, corrected for bursts; null = no bound on this side"),
  init_p50_ms: known,
});

const fault = z.strictObject({
  name: z.string(),
  kind: z.string(),
  resources: z.array(z.string()),
  asked_ms: known,
  onset_ms: known,
  restore_asked_ms: known,
  cleared_ms: known,
  injected: z.boolean(),
  undone: z.boolean(),
  verified: z.boolean(),
  change: z.string(),
  residue: z.string().nullable(),
  cold_wave: z
    .strictObject({
      window: z.string().describe("As criteria name it: `during <window>`."),
      function: z.string(),
      start_ms: known,
      end_ms: known,
      cold_starts: count,
      invocations: count,
      end: z.enum(["calm", "none", "bound", "run", "unseen"]),
    })
    .optional()
    .describe("The cold starts that its undo caused; absent where it replaces no environments."),
  not_undone: z.strictObject({ state: z.string(), command: z.string() }).nullable(),
  effect: EFFECT,
});

const byName = z.record(z.string(), count);

const difference = z.enum(["lost", "duplicated", "undecided", "unexpected", "misplaced"]);

const sink = z.strictObject({
  name: z.string(),
  kind: z.string(),
  of: z.array(z.string()),
  counted: z
    .literal(true)
    .optional()
    .describe("the sink holds sums of cells: no event can be named"),
  state: z
    .enum(["quiet", "at-most", "unread", "stopped", "looking", "never"])
    .describe("only what a quiet sink lacks is lost for certain"),
  detail: z.string(),
  read: z.boolean(),
  settled_ms: known.describe("from the first look to the last"),
  arrivals: count,
  events: count.describe("different ids; the counts below are of events"),
  acknowledged: count,
  unsure: count.describe("sent, outcome unknown"),
  given_up: count.describe("refused at every attempt until the sender gave up, and not there"),
  not_sent: count,
  matched: count.describe("there once, in their own cell"),
  lost: count.describe("acknowledged or given up, and not there"),
  duplicated: count,
  extra: count.describe("counts beyond the first, of duplicated events"),
  undecided: count.describe("unsure, and not there"),
  unexpected: count.describe("there, though never sent or refused every time"),
  misplaced: count,
  late: count.describe("not there yet when the load was over"),
  foreign: z.strictObject({ rows: count, examples: z.array(z.string()) }),
  cells: z.strictObject({
    count,
    differing: count,
    worst: z.array(z.strictObject({ cell: z.string(), expected: count, observed: count })),
  }),
  windows: z.array(
    z.strictObject({ window: z.string(), counts: z.partialRecord(difference, count) }),
  ),
  stretches: z
    .array(
      z.strictObject({
        kind: difference,
        load: z.string(),
        count,
        of: count.describe("events of the load due from its first to its last difference"),
        from_ms: z.number(),
        to_ms: z.number(),
        first_index: count,
        last_index: count,
      }),
    )
    .describe("where differences lie close together, at most eight of a kind and load"),
  named: z
    .array(
      z.strictObject({
        kind: difference,
        id: z.string(),
        cell: z.string(),
        count,
        found: byName.describe("count by the sink's cell"),
        load: z.string(),
        index: count,
        window: z.string(),
        due_ms: z.number(),
      }),
    )
    .describe("the first hundred of each kind; all: effects/<sink>/differences.ndjson"),
});

export const RESULT_SCHEMA = z.strictObject({
  gatecrash_result: z.literal(1),
  run: z.string(),
  title: z.string(),
  scenario: z.strictObject({
    file: z.string(),
    variant: z.string().nullable(),
    environment: z.string(),
    blob: z.string(),
    commit: z.string().nullable(),
    dirty: z.boolean().nullable(),
  }),
  criteria_changed: CRITERIA_CHANGED,
  version: z.string(),
  seed: z.number(),
  verdict,
  reason: z.string(),
  exit_code: z.int(),
  invalid: z.array(z.string()),
  stopped: z.string().nullable(),
  observed_ms: known.describe("to the planned end of the run, or to the stop before it"),
  criteria: z.array(criterion),
  counts: z.strictObject(outcomes),
  loads: z.array(z.strictObject({ load: z.string(), arm: z.string(), ...outcomes })),
  starts: z.strictObject({ cold: count, warm: count, provisioned: count, unjoined: count }),
  joins: z
    .strictObject({
      access_log: count,
      request_id: count,
      echo: count,
      trace: count,
      front_alone: count.describe("answered by the front itself, no function asked"),
      unjoined: count,
    })
    .describe("answers by what led to their REPORT line"),
  collected: z
    .strictObject({
      expected: count.describe("answers that should have a line"),
      joined: count.describe("those whose REPORT or refusal was found"),
      end: z.enum(["joined", "quiet", "waited"]),
      malformed: count,
    })
    .optional()
    .describe("how the reading of the platform's lines ended"),
  latencies: z.array(latency),
  versions: VERSIONS,
  old_new: z
    .strictObject({
      rows: z.array(
        z.strictObject({
          load: z.string(),
          route: z.string().describe("empty = the whole load"),
          compared: count.describe("arrivals whose recorded status is known"),
          agreed: count.describe("those with the same status"),
          pairs: count.describe("requests that were ok on both sides"),
          faster: count,
          old: z.strictObject({ p50_ms: known, p95_ms: known, p99_ms: known }),
          new: z.strictObject({ p50_ms: known, p95_ms: known, p99_ms: known }),
        }),
      ),
      changes: z.array(z.strictObject({ was: z.int(), is: z.int(), n: count })),
      ratios: RATIOS,
    })
    .optional()
    .describe("what the capture recorded beside what was measured"),
  cost: z
    .strictObject({
      prices: z.strictObject({
        aws_region: z.string(),
        date: z.string(),
        lambda_request: z.number(),
        lambda_gb_second: z.number(),
      }),
      functions: z.array(
        z.strictObject({
          name: z.string(),
          invocations: count,
          unpriced: count.describe("REPORT lines that do not say what was billed"),
          gb_seconds: z.number(),
          init_share: z.number().nullable().describe("of the billed time"),
          usd: z.number(),
          usd_per_million: z.number().nullable(),
        }),
      ),
      loads: z.array(
        z.strictObject({
          load: z.string(),
          arm: z.string(),
          usd_per_million: z.number().nullable().describe("of arrivals"),
          note: z.string(),
        }),
      ),
      months: z.array(
        z.strictObject({
          invocations: count,
          usd: z.number(),
          usd_beyond_free_tier: z.number(),
        }),
      ),
      not_priced: z.array(z.string()),
    })
    .optional()
    .describe("requests and billed time of functions with REPORT lines, at list price"),
  throttles: z.strictObject({
    client: byName,
    platform: byName,
    probes: byName,
    difference: z.string().describe("why the platform counted more or fewer than the load met"),
    retry_after: RETRY_AFTER,
    logged: z
      .strictObject({ answered: count, lines: count })
      .nullable()
      .describe(
        "answered attempts of loads whose gateway has an access log, and its lines of them",
      ),
  }),
  errors: byName.describe("attempts that errored or are unknown, by reason"),
  dropped_by: byName.describe("arrivals that were never sent, by reason"),
  faults: z.array(fault),
  balance: z.strictObject({ holds: z.boolean(), problems: z.array(z.string()) }),
  reconciliation: z.array(sink),
  fronts: FRONTS,
  cross_checks: z
    .array(
      z.strictObject({
        load: z.string(),
        by: z.string().describe("program and version"),
        seconds: z.number(),
        ours_per_s: z.number(),
        theirs_per_s: z.number(),
        ratio: known,
        unsound: z.string().describe("why they cannot be compared; empty = they can"),
        agrees: z.boolean().nullable(),
      }),
    )
    .optional()
    .describe("closed loops that another program sent too"),
  clean_ups: z
    .array(
      z.strictObject({
        load: z.string().describe("the load that declares it"),
        queue: z.string(),
        found: count.describe("messages received, each once"),
        ours: count.describe("those proven to be about this run's items alone"),
        deleted: count,
        given_back: count.describe("visible again at once, received once more than before"),
        end: z.enum(["begun", "quiet", "at-most", "full", "stopped", "failed", "skipped"]),
        detail: z.string().describe("why it failed or was skipped"),
      }),
    )
    .optional()
    .describe("what was taken out of queues of failures after the load"),
  alarms: z
    .array(
      z.strictObject({
        name: z.string(),
        state: z.enum(["OK", "ALARM", "INSUFFICIENT_DATA"]),
        at_ms: known,
        reason: z.string().describe("CloudWatch's own"),
      }),
    )
    .optional()
    .describe("what alarms of stop-when were seen in: at first, and at each change"),
  notices: z
    .array(
      z.strictObject({
        sink: z.string(),
        asked: count,
        told: count,
        failed: z.array(z.strictObject({ on: z.string(), why: z.string() })),
      }),
    )
    .optional()
    .describe("who was told by notify:, the verdict aside, and what had not arrived by then"),
  ...DETAILS,
  generator: z.strictObject({
    lag_p50_ms: known,
    lag_p99_ms: known,
    lag_max_ms: known,
    lag_limit_ms: known,
    cpu_max: known,
    cpu_limit: z.number(),
    dropped: count,
    dropped_limit: z.number(),
    connect_failures: count,
    connections_opened: count,
    attempts_sent: count,
    loop_max_ms: known.describe("longest delay of a sender's event loop"),
    clock_step_ms: known.describe("furthest that wall and monotonic clock came apart"),
    clock_offset: CLOCK_OFFSET,
    machines: z.array(z.string()).describe("that sent, in words; empty = not recorded"),
  }),
  predicted: z.record(z.string(), z.unknown()),
  measured: z.record(z.string(), z.unknown()),
});

/** JSON Schema (draft 2020-12) of result.json. */
export function resultJsonSchema(): object {
  return {
    ...{ title: "gatecrash result.json", description: "Times in ms, shares 0–1." },
    ...z.toJSONSchema(RESULT_SCHEMA),
  };
}
