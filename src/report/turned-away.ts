// Load that an edge turned away: it never reached the system, so its run says nothing about it.
import { type Criterion, operandsOf } from "../core/criterion.ts";
import { formatNumber, formatPercent } from "../core/format.ts";
import { requestIdOf } from "../core/ids.ts";
import { refuserOf } from "../core/measures.ts";
import { EDGES, isWithin, outcomeCode, REFUSERS, type Refuser } from "../core/outcome.ts";
import { parseCriterion } from "../core/parse-criterion.ts";
import { type ArrivalTable, UNSEEN } from "./arrival-table.ts";
import type { Facts } from "./facts-reader.ts";
import { LAYERS, WAYS_PAST } from "./layers.ts";
import type { Tables } from "./tables.ts";

const THROTTLED = outcomeCode("throttled");
const DROPPED = outcomeCode("dropped");
/** More of a load than this, and it is not the load that was planned. */
const SHARE_MAX = 0.01;

interface Turned {
  readonly by: Refuser;
  count: number;
  /** Index of the first. */
  readonly first: number;
}

/**
 * A sentence for each load of which an edge kept more than 1 % from the system. What a criterion
 * asks about is data; so is what the recorded system answered with the same status.
 */
export async function turnedAway(
  facts: Facts,
  tables: Tables,
  criteria: readonly Criterion[],
): Promise<string[]> {
  const { accept, steady, stop_when } = facts.plan.criteria;
  const planned = [...accept, ...steady, ...stop_when.filter((text) => !text.startsWith("alarm "))];
  const edges = edgesToPass([...criteria, ...planned.map((text) => parseCriterion(text))]);
  const sentences: string[] = [];
  for (const table of tables.arrivals) {
    const { sent, turned } = countTurned(table, tables, edges);
    const count = turned.reduce((sum, one) => sum + one.count, 0);
    if (count === 0 || count <= sent * SHARE_MAX) continue;
    const of =
      table.load === 0 && tables.arrivals.length === 1 ? "" : ` of ${nameOf(table, tables)}`;
    const each = await Promise.all(turned.map((one) => textOf(one, table, facts)));
    const share = formatPercent(count / sent);
    const many = `${formatNumber(count)} of ${formatNumber(sent)} arrivals${of} (${share})`;
    sentences.push(`${many} never reached the system: ${each.join("; ")}`);
  }
  return sentences;
}

/** The edges that a load has to get past: no criterion asks about them. */
export function edgesToPass(criteria: readonly Criterion[]): readonly Refuser[] {
  const judged = criteria.flatMap(({ operand, expr }) =>
    [operand, ...operandsOf(expr)].flatMap(({ measure }) => refuserOf(measure) ?? []),
  );
  return EDGES.filter((edge) => !judged.some((by) => isWithin(edge, by)));
}

function countTurned(table: ArrivalTable, tables: Tables, edges: readonly Refuser[]) {
  const turned = new Map<number, Turned>();
  const isEdge = REFUSERS.map((by) => edges.includes(by));
  const recorded = tables.recorded[table.load]?.status;
  let sent = 0;
  for (let i = 0; i < table.length; i++) {
    const outcome = table.outcome[i]!;
    if (outcome === UNSEEN || outcome === DROPPED) continue;
    sent++;
    const code = table.refusedBy[i]!;
    if (outcome !== THROTTLED || !isEdge[code] || recorded?.[i] === table.status[i]) continue;
    const known = turned.get(code);
    if (known === undefined) turned.set(code, { by: REFUSERS[code]!, count: 1, first: i });
    else known.count++;
  }
  return { sent, turned: [...turned.values()].sort((a, b) => b.count - a.count) };
}

/** With its arm where it has two. */
function nameOf({ load, arm }: ArrivalTable, { plan, arrivals }: Tables): string {
  const { name } = plan.loads[load]!;
  const used = arrivals.filter((table) => table.load === load && table.rows.some((n) => n > 0));
  return used.length > 1 ? `${name} ${plan.arms[arm] ?? ""}`.trim() : name;
}

/** `1,200 refused by waf (the web application firewall), for example request KlM3iGpOoAMEJ7g=`. */
async function textOf({ by, count, first }: Turned, table: ArrivalTable, facts: Facts) {
  const layer = by === "" ? "" : ` (${LAYERS[by]})`;
  const id = await requestOf(facts, table, first);
  const example = id === null ? "" : `, for example request ${id}`;
  return `${formatNumber(count)} refused by ${by}${layer}${example}; ${WAYS_PAST[by] ?? ""}`;
}

const COLUMNS = ["load", "arm", "index", "attempt", "request_id"];

/** Looked up only here: ids are not kept in the tables. */
async function requestOf(facts: Facts, table: ArrivalTable, index: number): Promise<string | null> {
  for await (const rows of facts.attempts(COLUMNS)) {
    const [load, arm, at] = ["load", "arm", "index"].map((name) => rows.ints(name));
    const attempt = rows.ints("attempt");
    for (let row = 0; row < rows.rows; row++) {
      if (at![row] !== index || load![row] !== table.load || arm![row] !== table.arm) continue;
      if (attempt[row] !== table.last[index]) continue;
      const key = rows.values("request_id")[row];
      return key instanceof Uint8Array ? requestIdOf(key) : null;
    }
  }
  return null;
}
