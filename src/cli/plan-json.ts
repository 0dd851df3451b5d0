// The plan for machines: one JSON document, the same figures as the text.
import type { Hide } from "../core/hiding.ts";
import { criteriaChanged } from "../report/base-words.ts";
import type { PlannedSend, PlanView } from "./plan-view.ts";
import { prospectJson } from "./prospect-text.ts";

/** Times in ms, shares 0–1, money in US dollars; null = not known. `hide`: in every text of it. */
export function planJson(view: PlanView, hide: Hide): string {
  const { plan, forecast, account, place } = view;
  const errors = view.findings.filter(({ severity }) => severity === "error").length;
  const document = {
    gatecrash_plan: 1,
    title: plan.title,
    scenario: plan.scenario,
    ...(plan.base === undefined ? {} : { criteria_changed: criteriaChanged(plan.base) }),
    seed: plan.seed,
    where: {
      endpoint: place.local ? "local" : place.endpoint,
      account: place.account,
      region: place.region,
      caller: place.caller,
      actors: place.actors,
      proven: place.proven,
      logs: place.logs,
      production_signs: place.signs,
    },
    loads: view.loads.map(loadOf),
    needs: needsOf(view),
    predicted: forecast.predicted,
    account: {
      quota: account.quota,
      unreserved: account.unreserved,
      functions: account.functions,
      unread: [...account.unread, ...view.pool.unread],
    },
    pool: view.pool.members,
    egress: view.egress,
    join: view.join,
    ...(plan.versions === undefined ? {} : { versions: plan.versions }),
    ...(view.probed === undefined ? {} : { probed: view.probed }),
    criteria: view.prospects.map(prospectJson),
    cost: {
      price_region: view.cost.priceRegion,
      usd: view.cost.lines.reduce((sum, { usd }) => sum + (usd ?? 0), 0),
      lines: view.cost.lines,
    },
    changes: view.changes.map(({ startUs, endUs, ...change }) => {
      return { ...change, start_ms: startUs / 1_000, end_ms: endUs / 1_000 };
    }),
    clean_ups: view.cleanUps,
    alarms: view.alarms.map(({ name, state, reason, missing }) => {
      return { name, state, reason, missing };
    }),
    tells: view.tells,
    hazards: view.hazards.map(({ line: _, ...hazard }) => hazard),
    findings: view.findings,
    errors,
    assumed: plan.notes,
  };
  const hidden = (_: string, value: unknown): unknown =>
    typeof value === "string" ? hide(value) : value;
  return `${JSON.stringify(document, hidden, 2)}\n`;
}

function loadOf(load: PlannedSend) {
  return {
    load: load.load,
    to: load.to,
    arrivals: load.arrivals,
    closed: load.closed,
    seconds: load.seconds,
    mean_per_s: load.meanPerSecond,
    worst_per_s: load.worstPerSecond,
    methods: load.methods,
    writes: load.writes,
    not_sent: load.notSent,
    attempts_max: load.attemptsMax,
    body_bytes: load.bodyBytes,
  };
}

function needsOf({ forecast, scale }: PlanView) {
  const { needs, twin } = forecast;
  return {
    worst_per_s: forecast.worstPerSecond,
    service_ms: forecast.serviceMs,
    environments: needs?.needed ?? null,
    new_environments: needs?.cold ?? null,
    scaling_s: needs?.scalingS ?? null,
    too_many: needs?.gap ?? null,
    too_many_share: needs?.gapShare ?? null,
    rate_ceiling_per_s: needs?.rateCeiling ?? null,
    refused: twin?.refused ?? null,
    scale,
  };
}
