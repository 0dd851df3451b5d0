// A notice in words, and as the JSON that leaves the machine; pure.
import { formatMinute } from "../core/format.ts";
import type { Notice, NoticeChange } from "../core/notice.ts";

/** What strangers may read: account ids, ARNs and hosts are for those who can look them up. */
export function withoutPlaces(text: string): string {
  return text
    .replace(/arn:[\w-]+:[\w-]*:[\w-]*:\d*:\S*?([\w.$-]+(?::[\w$-]+)?)(?=[\s,;)'"]|$)/g, "$1")
    .replace(/\bhttps?:\/\/[^\s,;)'"]+/g, "…")
    .replace(/\b\d{12}\b/g, "…");
}

/** The last part of an ARN that people call the thing by. */
const nameOf = (arn: string): string =>
  arn.split(/:(?:function|parameter|alarm-mute-rule|event-source-mapping):?|\//).at(-1) ?? arn;

/** One line, for chats; `private` = for those who may see account ids and ARNs. */
export function textOf(notice: Notice): string {
  const { kind, title, variant, environment, run, reason, job, report } = notice;
  const where = [variant, environment].filter((part) => part !== null).join(", ");
  const what = { ...SENTENCES }[kind](notice);
  const ends = kind === "verdict" || kind === "not-undone" || kind === "stop";
  const at = job ?? report;
  const parts = [
    `${what}: ${title} (${where})`,
    ...(reason === "" ? [] : [reason]),
    ...(notice.command === null ? [] : [`Do now: ${notice.command}`]),
    ...(ends && at !== null ? [`Report: ${at}`] : []),
    `run ${run}`,
  ];
  return parts.join(" · ");
}

const SENTENCES: { readonly [kind in Notice["kind"]]: (notice: Notice) => string } = {
  start: () => "Gatecrash run started",
  stop: () => "Gatecrash run stopped",
  verdict: ({ verdict, exitCode }) => {
    const word = (verdict ?? "no verdict").toUpperCase();
    const besides = exitCode !== null && exitCode > 3 ? ` (exit code ${exitCode})` : "";
    return `Gatecrash: ${word}${besides}`;
  },
  fault: ({ step, change }) => {
    const due = change?.undoDueMs ?? null;
    const until = due === null ? "" : `, until ${formatMinute(due)}`;
    return `Fault ${step}: ${changeText(change)}${until}`;
  },
  "not-undone": ({ step, change }) =>
    `${step === "drift" ? "DRIFT" : "NOT UNDONE"}: ${changeText(change)}`,
};

const changeText = (change: NoticeChange | null): string =>
  change === null ? "" : `${nameOf(change.resource)} ${change.change}`.trim();

/** `open`: for those who may see account ids, ARNs and hosts. Names of members never change. */
export function bodyOf(notice: Notice, open: boolean): { readonly [member: string]: unknown } {
  const shown = (text: string): string => (open ? text : withoutPlaces(text));
  const { change } = notice;
  const reason = shown(notice.reason);
  return {
    // What Slack, Teams and Mattermost show; the rest is for programs.
    text: textOf({ ...notice, reason }),
    gatecrash_notice: 1,
    on: notice.kind,
    ...(notice.step === null ? {} : { step: notice.step }),
    severity: notice.severity,
    run: notice.run,
    title: notice.title,
    variant: notice.variant,
    environment: notice.environment,
    ...(open ? { account: notice.account, region: notice.region } : {}),
    at: new Date(notice.atMs).toISOString(),
    ...(change === null ? {} : { change: changeOf(change, open) }),
    ...(reason === "" ? {} : { reason }),
    ...(notice.verdict === null ? {} : { verdict: notice.verdict, exit_code: notice.exitCode }),
    ...(notice.command === null ? {} : { command: notice.command }),
    ...(notice.report === null ? {} : { report: notice.report }),
    ...(notice.job === null ? {} : { job: notice.job }),
  };
}

function changeOf({ fault, kind, resource, change, undoDueMs }: NoticeChange, open: boolean) {
  return {
    ...{ fault, kind, resource: open ? resource : nameOf(resource), change },
    undo_due: undoDueMs === null ? null : new Date(undoDueMs).toISOString(),
  };
}
