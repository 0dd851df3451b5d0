// Fills `{{env.X}}` into a header at the moment it is needed; the value is never written anywhere.
import { GatecrashError } from "../core/error.ts";
import type { Scenario } from "../core/scenario.ts";

const REFERENCE = /\{\{\s*(env|secret)\.([^}]+?)\s*\}\}/g;

/**
 * @throws GatecrashError `scenario` for a variable that is not set, or a secret store we do not
 * speak to.
 */
export function secretsIn(text: string): string {
  return text.replace(REFERENCE, (whole, kind: string, name: string) => {
    if (kind === "secret") {
      throw new GatecrashError("scenario", `${whole}: this version reads no secret store`, {
        hint: "pass it in an environment variable and write {{env.NAME}}",
      });
    }
    const value = process.env[name];
    if (value !== undefined) return value;
    throw new GatecrashError("scenario", `the environment variable ${name} is not set`, {
      hint: `set ${name}`,
    });
  });
}

/** Closes every header once and throws the values away: what is missing is said before the run. */
export function checkSecrets(scenario: Scenario): void {
  for (const { target } of scenario.loads) {
    if (target.kind === "http") for (const [, value] of target.headers) secretsIn(value);
  }
}
