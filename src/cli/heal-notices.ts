// Tells people what `heal` could not put back: as the run would have, by its own records.
import type { ControlPlane } from "../core/change.ts";
import { messageOf } from "../core/error.ts";
import { hiding } from "../core/hiding.ts";
import type { Notice, NotifySpec } from "../core/notice.ts";
import type { Clock } from "../core/time.ts";
import { noticeOf } from "../notify/from-events.ts";
import { DRAIN_US, Notifier } from "../notify/notifier.ts";
import type { NotifySink } from "../notify/sink.ts";
import type { Healed } from "../run/heal.ts";
import { showChange } from "../run/undo-entry.ts";
import type { UndoRecord } from "../run/undo-record.ts";
import { jobUrl } from "./notices.ts";
import { heardFrom, makeSink } from "./notify-sinks.ts";
import { readSecrets } from "./secret-store.ts";
import { notifyTexts, secretsIn, secretValues } from "./secrets.ts";

export interface HealNoticePorts {
  readonly clock: Clock;
  /** As who puts back. */
  readonly connect: (record: UndoRecord) => Promise<ControlPlane>;
  /** Of the scenario that was named, for records that name nobody. */
  readonly others: readonly NotifySpec[];
  readonly warn: (text: string) => void;
}

/** Resolves when all are told or given up, a minute and a bit at most. Never rejects. */
export async function tellLeft(healed: readonly Healed[], ports: HealNoticePorts): Promise<void> {
  await Promise.all(
    healed.map(async (one) => {
      const { record, outcome } = one;
      const specs = (record.notify ?? ports.others).filter(({ on }) => on.includes("not-undone"));
      if ((outcome !== "failed" && outcome !== "drift") || specs.length === 0) return;
      try {
        await tell(one, specs, ports);
      } catch (error) {
        ports.warn(`nobody was told of ${record.fault}: ${messageOf(error)}`);
      }
    }),
  );
}

async function tell(
  one: Healed,
  specs: readonly NotifySpec[],
  { clock, connect, warn }: HealNoticePorts,
): Promise<void> {
  const { record } = one;
  const hide = hiding(secretValues({ loads: [], sinks: [], notify: specs }, process.env));
  const say = (text: string): void => warn(hide(text));
  const control = await connect(record);
  const store = await readSecrets(specs.flatMap(notifyTexts), control);
  const close = (text: string): string => secretsIn(text, store);
  const heard = heardFrom(specs, record.actor === undefined, close);
  const wallMs = (): number => clock.wallMs();
  const sinks = heard.flatMap((spec): NotifySink[] => {
    try {
      return [makeSink(spec, { control, close, wallMs, file: "the undo record" })];
    } catch (error) {
      say(`${spec.name} cannot be told: ${messageOf(error)}`);
      return [];
    }
  });
  const notifier = new Notifier({ sinks, clock, record: () => {}, warn: say });
  notifier.tell(noticeFor(one, wallMs()));
  await notifier.drain(DRAIN_US);
}

function noticeFor({ record, outcome, line, command }: Healed, atMs: number): Notice {
  const { run, fault, kind, resource, account, region, actor } = record;
  const environment = actor?.environment ?? "local";
  const frame = { run, title: "gatecrash heal", variant: null, environment, account, region };
  return noticeOf({ ...frame, report: null, job: jobUrl(process.env) }, atMs, {
    ...{ kind: "not-undone", severity: "page", reason: line },
    step: outcome === "drift" ? "drift" : "failed",
    change: { fault, kind, resource, change: showChange(record), undoDueMs: null },
    command: command === "" ? null : command,
  });
}
