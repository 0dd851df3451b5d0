// Makes the sinks of `notify:`: closes their references in memory, and refuses what cannot work.
import { proxyAgent } from "../aws/proxy-agent.ts";
import { AwsFailure, type ControlPlane } from "../core/change.ts";
import { type ErrorPlace, GatecrashError } from "../core/error.ts";
import { isLoopback } from "../core/loopback.ts";
import type { NotifySpec, WebhookSpec } from "../core/notice.ts";
import type { Scenario } from "../core/scenario.ts";
import { eventBusSink } from "../notify/event-bus.ts";
import type { NotifySink } from "../notify/sink.ts";
import { webhookSink } from "../notify/webhook.ts";
import { isFieldValue, isToken } from "../wire/characters.ts";
import { changesAnything } from "./changes-anything.ts";
import type { System } from "./system-contract.ts";

export interface SinkPorts {
  /** With whom events are put on a bus. */
  readonly control: ControlPlane;
  /** Fills secrets in, in memory. Throws where one is missing. */
  readonly close: (text: string) => string;
  readonly wallMs: () => number;
  /** Of the scenario, for complaints. */
  readonly file: string;
}

/** Who tells: whoever changes something, else whoever loads. */
export const tellingAs = (
  scenario: Pick<Scenario, "faults" | "muteAlarms">,
  { inject, load }: Pick<System, "inject" | "load">,
): ControlPlane => (changesAnything(scenario) ? inject : load);

/** Where nothing but this machine may be reached, a webhook elsewhere hears nothing. */
export function heardFrom(
  notify: readonly NotifySpec[],
  isLocal: boolean,
  close: (text: string) => string,
): NotifySpec[] {
  return notify.filter(({ to }) => {
    if (!isLocal || to.kind === "eventbridge") return true;
    const url = close(to.url).trim();
    return isLoopback(url) || !URL.canParse(url); // what is no URL has its complaint still to come
  });
}

/** Throws GatecrashError("scenario") for what can never be told; nothing is sent. */
export function makeSink(spec: NotifySpec, ports: SinkPorts): NotifySink {
  const { name, on, to, line } = spec;
  const place = { file: ports.file, line };
  if (to.kind === "eventbridge")
    return eventBusSink({ name, on, bus: to.bus, control: ports.control });
  const url = urlOf(name, to, ports, place);
  return webhookSink({
    ...{ name, on, url, headers: headersOf(name, to, ports, place) },
    secret: to.sign === null ? null : ports.close(to.sign),
    agent: isLoopback(url.href) ? null : proxyAgent(process.env, { keepAlive: false }),
    wallMs: ports.wallMs,
  });
}

/** Its value may be a secret, so no complaint says it. */
export function urlOf(
  name: string,
  { url: text }: WebhookSpec,
  { close }: Pick<SinkPorts, "close">,
  place: ErrorPlace,
): URL {
  const closed = close(text).trim();
  const url = URL.canParse(closed) ? new URL(closed) : null;
  if (url === null || !["http:", "https:"].includes(url.protocol))
    throw new GatecrashError("scenario", `${name}: what ${text} stands for is no URL`, { place });
  if (url.protocol === "https:" || isLoopback(closed)) return url;
  const hint = "notices go over HTTPS, or to this machine";
  throw new GatecrashError("scenario", `${name}: ${url.host} is asked for over http`, {
    hint,
    place,
  });
}

function headersOf(
  name: string,
  { headers }: WebhookSpec,
  { close }: SinkPorts,
  place: ErrorPlace,
): [string, string][] {
  return headers.map(([header, text]) => {
    const value = close(text);
    if (isToken(header) && isFieldValue(value)) return [header, value];
    const what = `${name}: the header ${header} cannot be sent over HTTP`;
    throw new GatecrashError("scenario", what, { place });
  });
}

/** Events to a bus that is not there are lost without a word: so it is looked at before. */
export async function checkBuses(
  notify: readonly NotifySpec[],
  control: ControlPlane,
  file: string,
): Promise<void> {
  for (const { to, name, line } of notify) {
    if (to.kind !== "eventbridge") continue;
    try {
      await control.call("eventbridge", "DescribeEventBus", { Name: to.bus });
    } catch (cause) {
      if (!(cause instanceof AwsFailure)) throw cause;
      const what = `${name}: the event bus ${to.bus} cannot be read: ${cause.name}`;
      const hint = "what is sent to a bus that does not exist is lost without a word";
      throw new GatecrashError("refused", what, { hint, place: { file, line }, cause });
    }
  }
}
