// Who is told what, as the plan shows it.
import type { Scenario } from "../core/scenario.ts";
import { heardFrom, urlOf } from "./notify-sinks.ts";
import { readSecrets } from "./secret-store.ts";
import { notifyTexts, secretsIn } from "./secrets.ts";
import type { System } from "./system-contract.ts";

/** Fills in what the texts of `notify:` refer to, in memory. */
export async function closeNotify(
  { notify = [] }: Scenario,
  { load }: System,
): Promise<(text: string) => string> {
  const store = await readSecrets(notify.flatMap(notifyTexts), load);
  return (text) => secretsIn(text, store);
}

/** A webhook's host alone: the rest of its URL may be a secret. */
export function tellsOf(
  { notify = [], file }: Scenario,
  { environment }: System,
  close: (text: string) => string,
): string[] {
  const heard = heardFrom(notify, environment === null, close);
  return notify.map((spec) => {
    const { name, to, on, line } = spec;
    const where = to.kind === "webhook" ? urlOf(name, to, { close }, { file, line }).host : to.bus;
    const silent = heard.includes(spec) ? "" : " (not from local AWS: it is not on this machine)";
    return `${name} → ${where}: ${on.join(", ")}${silent}`;
  });
}
