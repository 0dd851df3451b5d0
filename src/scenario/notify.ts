// `notify:` of a scenario or of one of its environments → to whom a run tells what.
import { NOTICE_KINDS, type NotifySpec } from "../core/notice.ts";
import type { RawNotify } from "./notify-schema.ts";
import type { RawScenario } from "./schema.ts";
import type { Path, Source } from "./source.ts";

/** Those of the environment, if it says so itself, else those of the scenario. */
export function notifyOf(source: Source, raw: RawScenario, environment: string): NotifySpec[] {
  for (const [name, { notify = [] }] of Object.entries(raw.environments ?? {}))
    if (name !== environment) sinksAt(source, ["environments", name, "notify"], notify);
  const own = raw.environments?.[environment]?.notify;
  const shared = sinksAt(source, ["notify"], raw.notify ?? []);
  return own === undefined ? shared : sinksAt(source, ["environments", environment, "notify"], own);
}

function sinksAt(source: Source, at: Path, all: readonly RawNotify[]): NotifySpec[] {
  return all.flatMap((raw, i) => {
    const to = toOf(source, [...at, i], raw);
    if (to === null) return [];
    const line = source.place([...at, i]).line ?? 1;
    return [{ name: `${to.kind} ${i + 1}`, on: raw.on ?? NOTICE_KINDS, to, line }];
  });
}

function toOf(source: Source, at: Path, raw: RawNotify): NotifySpec["to"] | null {
  const { webhook: hook, eventbridge: bus } = raw;
  if ((hook === undefined) === (bus === undefined)) {
    source.fail(at, "one of `webhook`, `eventbridge` is needed");
    return null;
  }
  if (bus !== undefined) return { kind: "eventbridge", bus: bus.bus };
  if (hook === undefined) return null;
  const { url, headers = {}, sign = null } = hook;
  if (!/\{\{/.test(url)) checkUrl(source, [...at, "webhook", "url"], url);
  if (sign !== null && !/^\{\{\s*(env|secret)\.[^}]+\}\}$/.test(sign)) {
    const hint = "write {{env.NAME}} or {{secret.ssm:/path}}: runs keep this file";
    source.fail([...at, "webhook", "sign"], "the secret is written out", hint);
  }
  return { kind: "webhook", url, headers: Object.entries(headers), sign };
}

/** Services whose webhooks' URLs are all that one needs to write there. */
const SECRET_HOSTS =
  /(^|\.)(slack\.com|office\.com|logic\.azure\.com|powerplatform\.com|discord\.com|googleapis\.com|pagerduty\.com)$/;
/** A long segment of digits and letters looks like a key. */
const SECRET_SEGMENT = /^(?=.*\d)(?=.*[A-Za-z])[\w-]{20,}$/;

function checkUrl(source: Source, at: Path, text: string): void {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || !["http:", "https:"].includes(url.protocol)) {
    source.fail(at, "this is no http:// or https:// URL");
    return;
  }
  const isKey = url.pathname.split("/").some((segment) => SECRET_SEGMENT.test(segment));
  if (!isKey && !SECRET_HOSTS.test(url.hostname)) return;
  const hint = "write {{env.NAME}}: whoever has this URL may write there, and runs keep this file";
  source.fail(at, "the URL looks like a secret and is written out", hint);
}
