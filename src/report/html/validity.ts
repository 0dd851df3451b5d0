// Whether the measurement itself can be trusted: the generator, the balance, the joins, the undo.
import { formatMs, formatNumber, formatPercent } from "../../core/format.ts";
import { countedText, type FrontResult } from "../fronts.ts";
import { predictedText } from "../measured.ts";
import type { GeneratorResult, Report } from "../result.ts";
import { clockText, collectedText, frontText, joinedOf, joinText } from "../words.ts";
import { html, type Markup, type Part } from "./markup.ts";
import { section } from "./parts.ts";

interface Check {
  readonly name: string;
  /** null = there is nothing to hold it against. */
  readonly good: boolean | null;
  readonly value: Part;
  readonly detail: string;
}

export function validitySection(report: Report): Markup {
  const checks = [
    ...generatorChecks(report.generator),
    ...timeoutCheck(report),
    loadCheck(report),
    balanceCheck(report),
    ...joinCheck(report),
    ...report.fronts.map(frontCheck),
    undoCheck(report),
  ];
  const foreseen = predictedText(report);
  const { machines } = report.generator;
  return section(
    "validity",
    "Can this run be trusted?",
    html`<ul class="checks">${checks.map(cell)}</ul>`,
    machines.length > 0 &&
      html`<p class="note">The load was sent from ${machines.join(" and ")}.</p>`,
    foreseen !== "" && html`<p class="note">Foreseen by the plan: ${foreseen}.</p>`,
  );
}

function cell({ name, good, value, detail }: Check): Markup {
  const mark = good === null ? "" : good ? "✓" : "✗";
  const word = good === null ? "" : good ? "good: " : "bad: ";
  return html`<li class="${good === false ? "bad" : "good"}"><span class="name"><span
 class="sr">${word}</span><span aria-hidden="true" class="tick">${mark}</span> ${name}</span><span
 class="value">${value}</span><span class="detail">${detail}</span></li>
`;
}

function generatorChecks(generator: GeneratorResult): Check[] {
  const { lagP50Us, lagP99Us, lagMaxUs, lagLimitUs, cpuMax, cpuLimit } = generator;
  const sent = !Number.isNaN(lagP99Us);
  const percent = (share: number) => formatPercent(share, 0);
  return [
    {
      name: "Sending lag p99",
      good: sent ? lagP99Us <= lagLimitUs : null,
      value: sent ? `${formatMs(lagP99Us)} ms` : "nothing sent",
      detail: sent
        ? `at most ${formatMs(lagLimitUs)} ms; p50 ${formatMs(lagP50Us)}, max ${formatMs(lagMaxUs)}`
        : "",
    },
    {
      name: "Generator CPU",
      good: cpuMax === null ? null : cpuMax <= cpuLimit,
      value: cpuMax === null ? "not recorded" : percent(cpuMax),
      detail: `of one core, at most ${percent(cpuLimit)}`,
    },
    ...senderChecks(generator),
    ...(generator.connectFailures === 0
      ? []
      : [
          {
            name: "Connections failed",
            good: null,
            value: formatNumber(generator.connectFailures),
            detail: "on the generator's side",
          },
        ]),
  ];
}

/** Nothing is held against these: they explain what is. */
function senderChecks({ loopMaxUs, opened, attempts, ...clocks }: GeneratorResult): Check[] {
  const { clockStepMs, clockOffset } = clocks;
  const reused = attempts === 0 ? 0 : 1 - opened / attempts;
  const shown: (Check | false)[] = [
    loopMaxUs !== null && {
      name: "Event loop, longest delay",
      good: null,
      value: `${formatMs(loopMaxUs)} ms`,
      detail: "of a sender; waiting for CPU and collecting garbage are in it",
    },
    opened > 0 && {
      name: "Connections reused",
      good: null,
      value: formatPercent(reused),
      detail: `${formatNumber(opened)} opened for ${formatNumber(attempts)} attempts`,
    },
    clockStepMs !== null && {
      name: "Clock",
      good: null,
      value: `${formatNumber(clockStepMs, 1)} ms`,
      detail: "the furthest that wall and monotonic clock came apart",
    },
    clockOffset !== null && {
      name: "Clock of the system",
      good: null,
      value: `${formatMs(clockOffset.offsetUs)} ms`,
      detail: clockText({ clockOffset }),
    },
  ];
  return shown.filter((check) => check !== false);
}

function timeoutCheck({ errors, counts }: Report): Check[] {
  const { timeout = 0 } = errors;
  if (timeout === 0) return [];
  return [
    {
      name: "Timed out here",
      good: null,
      value: formatNumber(timeout),
      detail: `of ${formatNumber(counts.attempts)} attempts: our own limit, may have run`,
    },
  ];
}

function loadCheck({ counts, generator }: Report): Check {
  const { planned, sent, dropped } = counts;
  const of = `${formatNumber(sent)} of ${formatNumber(planned)} planned arrivals sent`;
  const most = `${formatNumber(dropped)} dropped, at most ${formatNumber(generator.droppedLimit)}`;
  return {
    name: "Load achieved",
    good: planned === 0 ? null : dropped <= generator.droppedLimit,
    value: planned === 0 ? "–" : formatPercent(sent / planned, sent === planned ? 0 : 2),
    detail: dropped === 0 ? of : `${of}; ${most}`,
  };
}

function balanceCheck({ balance }: Report): Check {
  return {
    name: "Balance",
    good: balance.holds,
    value: balance.holds ? "holds" : "does not hold",
    detail: balance.holds ? "every arrival accounted for" : (balance.problems[0] ?? ""),
  };
}

/** Only runs that look for REPORT lines can tell cold from warm. */
function joinCheck(report: Report): Check[] {
  const { plan, joins } = report;
  if (!plan.joins) return [];
  const joined = joinedOf(joins);
  const all = joined + joins.unjoined;
  const front = frontText(joins);
  const by = joined === 0 ? "" : `; joined by ${joinText(joins)}`;
  const read = collectedText(report);
  return [
    {
      name: "Answers with a REPORT line",
      good: all === 0 ? null : joined > 0,
      value: all === 0 ? "–" : formatPercent(joined / all, joins.unjoined === 0 ? 0 : 2),
      detail: [
        all === 0
          ? "no load whose answers have one"
          : `${formatNumber(joins.unjoined)} of ${formatNumber(all)} not found`,
        by,
        front && `; ${front}`,
        read && `; ${read}`,
      ].join(""),
    },
  ];
}

/** Good or bad only where the platform's points are whole. */
function frontCheck(front: FrontResult): Check {
  const { counted, sent, missing, unsound } = front;
  const compared = counted === null || (missing > 0 && unsound !== "") ? null : missing === 0;
  return {
    name: "Requests that the gateway counted",
    good: compared,
    value: counted === null ? "no points" : `${formatNumber(counted)} of ${formatNumber(sent)}`,
    detail: countedText(front),
  };
}

function undoCheck({ faults }: Report): Check {
  const injected = faults.filter((fault) => fault.injected);
  const undone = injected.filter((fault) => fault.undone && fault.verified).length;
  const name = "Undone and verified";
  if (injected.length === 0)
    return { name, good: null, value: "nothing changed", detail: "no fault was injected" };
  const good = undone === injected.length;
  const detail = good ? "read back, and as it was before" : "the command stands at the top";
  return { name, good, value: `${undone} of ${injected.length}`, detail };
}
