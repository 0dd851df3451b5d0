// GitHub's workflow commands: at most ten annotations by severity; then the summary as Markdown.
import { bannerLines, isLoud } from "./base-words.ts";
import { undoText } from "./labels.ts";
import { markdownReport } from "./markdown.ts";
import type { Report, Reporter } from "./result.ts";
import { withoutPlaces } from "./without-places.ts";

/** GitHub shows ten annotations of a kind for a step and hides the rest without a word. */
export const ANNOTATIONS_MAX = 10;

interface Annotation {
  readonly level: "error" | "warning" | "notice";
  readonly title: string;
  readonly text: string;
}

/** Annotations, then the job summary: what is printed where nothing says where the summary goes. */
export const githubReport: Reporter = (report) =>
  [annotationLines(report), markdownReport(report)].join("\n");

/** Workflow commands, one a line; a runner reads them from what a step prints. */
export const annotationLines: Reporter = (report) => {
  const all = annotationsOf(report);
  const more = all.length - ANNOTATIONS_MAX;
  const shown = more > 0 ? all.slice(0, ANNOTATIONS_MAX - 1) : all;
  const rest: Annotation[] =
    more > 0
      ? [{ level: "notice", title: "gatecrash", text: `${more + 1} more in the job summary` }]
      : [];
  const commands = [...shown, ...rest].map(
    ({ level, title, text }) => `::${level} title=${property(title)}::${message(text)}\n`,
  );
  return commands.join("");
};

/** Most severe first: what was left behind, who stopped it, why nothing was measured, criteria. */
function annotationsOf(report: Report): Annotation[] {
  const undone = report.faults.flatMap(({ notUndone }): Annotation[] => {
    if (notUndone === null) return [];
    return [{ level: "error", title: "NOT UNDONE", text: undoText(notUndone) }];
  });
  const invalid = report.invalid.map((text): Annotation => {
    return { level: "warning", title: "not measured", text };
  });
  const stopped: Annotation[] =
    report.stopped === null ? [] : [{ level: "warning", title: "stopped", text: report.stopped }];
  const of = (verdict: "fail" | "inconclusive", level: Annotation["level"]) =>
    report.criteria
      .filter((one) => one.verdict === verdict)
      .map((one): Annotation => ({ level, title: one.text, text: one.reason }));
  const { base } = report.plan;
  const changed: Annotation[] =
    base === undefined || !isLoud(base)
      ? []
      : [{ level: "warning", title: "criteria", text: bannerLines(base).join("\n") }];
  return [
    ...undone,
    ...changed,
    ...stopped,
    ...invalid,
    ...of("fail", "error"),
    ...of("inconclusive", "warning"),
  ];
}

/** Escapes of the workflow commands' own format. */
function message(text: string): string {
  return withoutPlaces(text).replaceAll("%", "%25").replaceAll("\r", "%0D").replaceAll("\n", "%0A");
}

function property(text: string): string {
  return message(text).replaceAll(":", "%3A").replaceAll(",", "%2C");
}
