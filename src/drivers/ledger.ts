// Reads an event's identity from its payload, so that what was sent can be matched with effects.
import type { Arrival } from "../core/arrival.ts";
import { GatecrashError } from "../core/error.ts";
import type { Load } from "../core/scenario.ts";

/** Event id and cell of a payload, or undefined for a load without a ledger. */
export type ReadLedger = (payload: string) => Arrival["ledger"];

/**
 * Field names may be paths: `order.id`.
 * @throws GatecrashError `scenario` when a payload has no such field: it could not be reconciled.
 */
export function ledgerReader(load: Load): ReadLedger {
  const { ledger } = load;
  if (ledger === null) return () => undefined;
  const idPath = ledger.id.split(".");
  const cellPaths = ledger.cell.map((name) => name.split("."));
  return (payload) => {
    const value = parsed(payload, load.name);
    return {
      id: field(value, idPath, load.name),
      cell: cellPaths.map((path) => field(value, path, load.name)).join("/"),
    };
  };
}

/**
 * The value of a field (a path as `order.id`) of a JSON payload, as text.
 * @throws GatecrashError `scenario` when there is none.
 */
export const fieldOf = (payload: string, path: string, load: string): string =>
  field(parsed(payload, load), path.split("."), load);

function parsed(payload: string, load: string): unknown {
  try {
    return JSON.parse(payload);
  } catch (cause) {
    throw new GatecrashError(
      "scenario",
      `load ${load}: a body whose fields are named must be JSON`,
      {
        hint: "check the body template of this load",
        cause,
      },
    );
  }
}

function field(value: unknown, path: readonly string[], load: string): string {
  let at: unknown = value;
  for (const name of path)
    at =
      typeof at === "object" && at !== null ? (at as { [key: string]: unknown })[name] : undefined;
  if (typeof at === "string" || typeof at === "number") return String(at);
  throw new GatecrashError("scenario", `load ${load}: a payload has no field ${path.join(".")}`, {
    hint: "ledger: and key: name fields of the body; add the field or correct the name",
  });
}
