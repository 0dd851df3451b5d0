// From a run directory to its report: reads the facts, judges them, and never looks at a clock.
import { type Criterion, operandsIn } from "../core/criterion.ts";
import { EXIT } from "../core/exit.ts";
import { parseCriterion } from "../core/parse-criterion.ts";
import { versionOfName } from "../core/version-name.ts";
import { balanceOf } from "./balance.ts";
import { versionsOf } from "./by-version.ts";
import { coldWavesOf } from "./cold-wave.ts";
import { costOf } from "./cost-result.ts";
import { readCriteria } from "./criteria-file.ts";
import { crossChecksOf, disagreements } from "./cross-check.ts";
import { drawnOf } from "./drawn.ts";
import { type Facts, readFacts } from "./facts-reader.ts";
import { faultResult } from "./fault-result.ts";
import { frontsOf, uncounted } from "./fronts.ts";
import { judgeAll } from "./judge.ts";
import type { JudgeFacts } from "./judge-facts.ts";
import { measuredOf } from "./measured.ts";
import { movedReasons } from "./moved-versions.ts";
import { noticesOf } from "./notices.ts";
import { oldNewOf } from "./old-new.ts";
import { reconcileAll } from "./reconcile.ts";
import type { CriterionResult, Report } from "./result.ts";
import { shardsOf } from "./shards.ts";
import { isOfAttempts } from "./sources.ts";
import { type Story, storyOf } from "./story.ts";
import { readTables } from "./tables.ts";
import { byReason, countsOf, responsesOf, throttlesOf, totalOf } from "./tally.ts";
import { timeSplitOf } from "./time-split.ts";
import { turnedAway } from "./turned-away.ts";
import { generatorOf, invalidReasons } from "./validity.ts";
import { type Ended, exitCodeOf, notJudged, runVerdict, unfinishedOf } from "./verdict.ts";
import { windowsOf } from "./windows.ts";

/**
 * Judges a run directory, by the criteria of its plan or those of a file. Throws GatecrashError:
 * `input` (no run there), `facts` (it contradicts itself), `scenario` (a criterion is wrong).
 */
export async function report(
  runDir: string,
  options: { readonly criteriaFile?: string; readonly ended?: Ended } = {},
): Promise<Report> {
  const facts = await readFacts(runDir);
  const criteria =
    options.criteriaFile === undefined
      ? facts.plan.criteria.accept.map((text) => parseCriterion(text))
      : await readCriteria(options.criteriaFile);
  return await judgeFacts(facts, criteria, options.ended);
}

/** The same for facts that are already open. */
export async function judgeFacts(
  facts: Facts,
  criteria: readonly Criterion[],
  ended: Ended | null = null,
): Promise<Report> {
  const { plan } = facts;
  const found = await factsToJudge(facts, criteria);
  const { tables, story, metrics, waves, reconciled } = found;
  const loads = countsOf(tables);
  const counts = totalOf(loads);
  const balance = balanceOf(tables, story, loads);
  const generator = generatorOf(tables, story, counts);
  const crossChecks = crossChecksOf(tables, story);
  const fronts = frontsOf(tables, story, metrics);
  const asked = plan.versions !== undefined || criteria.some(namesVersion);
  const versions = versionsOf(tables, asked);
  const invalid = [
    ...(await turnedAway(facts, tables, criteria)),
    ...invalidReasons(tables, story, generator, balance),
    ...disagreements(crossChecks),
    ...uncounted(fronts),
    ...movedReasons(versions, plan),
    ...(ended?.codes.includes(EXIT.invalid) ? [ended.why] : []),
  ];
  const all = judgeAll(found, criteria);
  const judged = invalid.length === 0 ? all : notJudged(all);
  const faults = story.faults.map((fault) => faultResult(fault, waves.get(fault.name) ?? null));
  const unfinished = unfinishedOf(faults, story, ended);
  const { verdict, reason } = runVerdict(invalid, judged, unfinished);
  const responses = responsesOf(tables);
  const throttles = throttlesOf(found);
  const streams = await shardsOf(facts, tables);
  const stop = story.stops[0];
  return {
    ...{ dir: facts.dir, plan, verdict, reason, invalid, criteria: judged, counts, loads },
    exitCode: exitCodeOf(verdict, faults, story, ended),
    ...responses,
    versions,
    throttles,
    collected: story.collected,
    oldNew: oldNewOf(tables),
    cost: costOf(tables),
    timeSplit: timeSplitOf(tables),
    measured: measuredOf(plan, story, counts, plan.joins ? responses.starts.cold : null, throttles),
    errors: byReason(tables.reasons),
    droppedBy: byReason(tables.unsent),
    observedUs: story.observedEndUs,
    ...{ faults, balance, generator, crossChecks, fronts },
    reconciliation: reconciled.map(({ result }) => result),
    cleanUps: story.cleanUps,
    alarms: alarmsOf(story),
    notices: noticesOf(story.notices),
    stopped: stop === undefined ? null : `${stop.why}: ${stop.detail}`,
    drawn: drawnOf(found, streams),
  };
}

/** What each criterion comes to by itself, also where the run cannot be judged. */
export async function judgeEach(
  facts: Facts,
  criteria: readonly Criterion[],
): Promise<CriterionResult[]> {
  return judgeAll(await factsToJudge(facts, criteria), criteria);
}

async function factsToJudge(facts: Facts, criteria: readonly Criterion[]): Promise<JudgeFacts> {
  const { plan, metrics } = facts;
  const story = storyOf(plan, facts.events);
  const steady = plan.criteria.steady.map((text) => parseCriterion(text));
  const tables = await readTables(facts, needsAttempts([...criteria, ...steady]));
  const waves = coldWavesOf(tables, story);
  const windows = windowsOf(plan, story.faults, story.observedEndUs, waves);
  const reconciled = await reconcileAll(facts, tables, windows);
  return { tables, story, metrics, windows, waves, steady, reconciled };
}

const alarmsOf = ({ alarms }: Story): Report["alarms"] =>
  alarms.map(({ t, alarm: name, state, detail: reason }) => ({ name, state, atUs: t, reason }));

const namesVersion = (criterion: Criterion): boolean =>
  operandsIn(criterion).some(({ names }) => names.some((name) => versionOfName(name) !== null));

/** Single attempts are kept in memory only if a criterion asks about them. */
function needsAttempts(criteria: readonly Criterion[]): boolean {
  return criteria.some((criterion) =>
    operandsIn(criterion).some(({ measure }) => isOfAttempts(measure)),
  );
}
