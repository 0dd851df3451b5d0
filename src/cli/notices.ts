// What one run tells people: its events as they happen, its verdict, and that it could not undo.
import { appendFileSync } from "node:fs";
import { join, relative } from "node:path";
import type { PlanFile, RunEvent } from "../core/facts.ts";
import type { Scenario } from "../core/scenario.ts";
import { US_PER_S } from "../core/time.ts";
import { type NoticeFrame, noticeOf, noticesFrom } from "../notify/from-events.ts";
import { DRAIN_US, Notifier } from "../notify/notifier.ts";
import type { NotifySink } from "../notify/sink.ts";
import type { Report } from "../report/result.ts";
import { checkBuses, heardFrom, makeSink, tellingAs } from "./notify-sinks.ts";
import type { RunResult } from "./run-request.ts";
import type { Session } from "./run-session.ts";
import type { System } from "./system-contract.ts";

export interface Notices {
  /** An event of the run; returns at once. */
  heard(event: RunEvent): void;
  /** Before the run is judged: what has no answer yet is a fact. */
  noteOpen(): void;
  verdict(report: Report, exit: RunResult["exit"]): void;
  /** Resolves when all is told or given up, in bounded time; by kind: what is on its way there. */
  drain(kind?: NotifySink["kind"]): Promise<void>;
}

/** Whoever stopped the run is waiting. */
const STOPPED_US = 3 * US_PER_S;

const SILENT: Notices = {
  heard() {},
  noteOpen() {},
  verdict() {},
  drain: async () => {},
};

export interface NoticesInput {
  readonly scenario: Scenario;
  readonly plan: Omit<PlanFile, "epoch_ms">;
  readonly close: (text: string) => string;
}

/** Rejects with GatecrashErrors for sinks that cannot work. Slices are told of by the first. */
export async function openNotices(
  session: Session,
  system: System,
  { scenario, plan, close }: NoticesInput,
): Promise<Notices> {
  const { notify: all = [], file } = scenario;
  if (all.length === 0 || (session.request.slice?.index ?? 0) > 0) return SILENT;
  const { clock, dir, context, hide } = session;
  const notify = heardFrom(all, system.environment === null, close);
  for (const { name } of all.filter((spec) => !notify.includes(spec)))
    session.progress.step(`${name} is not on this machine: it hears nothing of local AWS`);
  const control = tellingAs(scenario, system);
  const wallMs = (): number => clock.wallMs();
  const sinks = notify.map((spec) => makeSink(spec, { control, close, wallMs, file }));
  await checkBuses(notify, control, file);
  const notifier = new Notifier({
    ...{ sinks, clock },
    record({ detail, ...event }) {
      const told = detail === undefined ? {} : { detail: hide(detail) };
      const line: RunEvent = { t: clock.nowUs(), ...event, ...told };
      appendFileSync(join(dir, "events", "notify.jsonl"), `${JSON.stringify(line)}\n`);
    },
    warn: (text) => context.err(hide(`warning: ${text}\n`)),
  });
  const frame = frameOf(session, system, plan);
  const noticeFrom = noticesFrom(plan, frame, wallMs);
  return {
    heard(event) {
      const notice = noticeFrom(event);
      if (notice !== null) notifier.tell(notice);
    },
    noteOpen: () => notifier.noteOpen(),
    verdict({ verdict, reason }, exitCode) {
      const severity = verdict === "pass" ? "info" : "warning";
      const own = { kind: "verdict", severity, verdict, reason: hide(reason), exitCode } as const;
      notifier.tell(noticeOf(frame, wallMs(), own));
    },
    drain: (kind) => notifier.drain(context.signal.aborted ? STOPPED_US : DRAIN_US, kind),
  };
}

function frameOf(
  { run, dir }: Session,
  { account, region }: System,
  { title, scenario: { variant, environment } }: NoticesInput["plan"],
): NoticeFrame {
  const report = relative(process.cwd(), dir) || dir;
  return { run, title, variant, environment, account, region, report, job: jobUrl(process.env) };
}

/** Where the CI job that runs this shows what it says; null = none that we know. */
export function jobUrl(env: { readonly [name: string]: string | undefined }): string | null {
  const { GITHUB_SERVER_URL: server, GITHUB_REPOSITORY: repository, GITHUB_RUN_ID: id } = env;
  if (server && repository && id) return `${server}/${repository}/actions/runs/${id}`;
  return env.CI_JOB_URL || env.BUILD_URL || null;
}
