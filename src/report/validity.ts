// When a run says nothing about the system: each reason as a sentence, none for a valid run.
import { formatMs, formatNumber, formatPercent } from "../core/format.ts";
import { reasonCode } from "../core/outcome.ts";
import type { BalanceResult, GeneratorResult, OutcomeCounts } from "./result.ts";
import type { Story } from "./story.ts";
import type { Tables } from "./tables.ts";

export function generatorOf(tables: Tables, story: Story, counts: OutcomeCounts): GeneratorResult {
  const { generator } = tables.plan;
  const { health } = story;
  return {
    lagP50Us: tables.lag.quantile(0.5),
    lagP99Us: tables.lag.quantile(0.99),
    lagMaxUs: tables.lag.max(),
    lagLimitUs: generator.lag_p99_us,
    cpuMax: health.length === 0 ? null : health.reduce((most, h) => Math.max(most, h.cpu), 0),
    cpuLimit: generator.cpu,
    dropped: counts.dropped,
    droppedLimit: generator.dropped,
    connectFailures: health.reduce((sum, h) => sum + h.connect_failures, 0),
    loopMaxUs:
      health.length === 0 ? null : health.reduce((most, h) => Math.max(most, h.loop_us), 0),
    opened: tables.opened,
    attempts: tables.lag.n,
    clockStepMs: story.clockStepMs,
    clockOffset: tables.clockOffset,
    machines: story.machines,
  };
}

/**
 * Load that comes whole seconds late is not the planned one, second by second: that alone makes a
 * system look unsteady, and faults act on other arrivals than were meant.
 */
const EXPLAINS_US = 1_000_000;

/** What explains the others stands first: the first is the reason. */
export function invalidReasons(
  tables: Tables,
  story: Story,
  generator: GeneratorResult,
  balance: BalanceResult,
): string[] {
  const late = generatorReasons(generator, story);
  const explains = generator.lagP99Us >= EXPLAINS_US;
  const reasons = [...credentialReasons(tables), ...story.invalids, ...(explains ? late : [])];
  if (story.steady !== null && !story.steady.holds)
    reasons.push(`not steady before the fault, so nothing was injected: ${story.steady.detail}`);
  if (story.rows === null) {
    const { slices } = tables.plan;
    const which = slices > 1 ? ` (${story.slicesEnded} of ${slices} slices ended)` : "";
    reasons.push(`the run did not end${which}: its last moments are not recorded`);
  }
  reasons.push(...faultReasons(story));
  if (story.rows !== null) reasons.push(...balance.problems.map((text) => `unbalanced: ${text}`));
  if (!explains) reasons.push(...late);
  return reasons;
}

/**
 * A run that was stopped or killed has that as its reason; only a whole one must show each onset.
 */
function faultReasons({ faults, stops, rows }: Story): string[] {
  if (rows === null || stops.length > 0) return [];
  return faults.flatMap(({ name, injected, onsetUs, putBackByOthers, trouble }) => {
    if (!injected) return [`fault ${name} was never injected`];
    if (putBackByOthers) return [`fault ${name} was put back by somebody else before its end`];
    if (trouble !== null) return [`fault ${name} was changed by somebody else before its end`];
    return onsetUs === null ? [`fault ${name}: its onset was never observed`] : [];
  });
}

/** What was not sent for want of our own credentials says nothing about the system. */
function credentialReasons({ reasons }: Tables): string[] {
  const ended = reasons[reasonCode("credentials")] ?? 0;
  if (ended === 0) return [];
  return [
    `our own credentials had ended: ${formatNumber(ended)} attempts were not made or refused`,
  ];
}

function generatorReasons(generator: GeneratorResult, story: Story): string[] {
  const reasons: string[] = [];
  if (generator.lagP99Us > generator.lagLimitUs) {
    const limit = formatMs(generator.lagLimitUs);
    const found = formatMs(generator.lagP99Us);
    reasons.push(`the generator was late: lag p99 ${found} ms, at most ${limit} ms allowed`);
  }
  if (generator.cpuMax !== null && generator.cpuMax > generator.cpuLimit) {
    const [found, limit] = [generator.cpuMax, generator.cpuLimit].map((x) => formatPercent(x, 0));
    reasons.push(`the generator was out of CPU: ${found} of a core, at most ${limit} allowed`);
  }
  // A stopped run drops what was still due; that is its reason, not the generator's weakness.
  if (generator.dropped > generator.droppedLimit && story.stops.length === 0) {
    const [found, limit] = [generator.dropped, generator.droppedLimit].map((x) => formatNumber(x));
    reasons.push(`${found} arrivals were dropped at the in-flight limit, at most ${limit} allowed`);
  }
  return reasons;
}
