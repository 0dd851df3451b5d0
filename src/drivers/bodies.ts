// Bodies for the writes of a replay: one per line of a file, in a seeded rotation.
import { readFile } from "node:fs/promises";
import { GatecrashError, messageOf } from "../core/error.ts";
import type { Rng } from "../core/rng.ts";
import type { Load } from "../core/scenario.ts";
import { compileTemplate, type Template } from "./template.ts";

/** By route code. */
export type BodyFiles = ReadonlyMap<number, readonly Template[]>;

/** @throws GatecrashError `scenario` when a file cannot be read, is empty, or names no route. */
export async function readBodyFiles(load: Load): Promise<BodyFiles> {
  const files = new Map<number, readonly Template[]>();
  for (const { route, body } of load.writes) {
    const code = 1 + load.routes.findIndex((one) => one.name === route);
    if (code === 0)
      throw new GatecrashError("scenario", `load ${load.name}: writes names no route "${route}"`, {
        hint: `routes: ${load.routes.map((one) => one.name).join(", ")}`,
      });
    files.set(code, await readBodies(body));
  }
  return files;
}

async function readBodies(file: string): Promise<Template[]> {
  const text = await readFile(file, "utf8").catch((cause: unknown) => {
    throw new GatecrashError("scenario", `cannot read the bodies: ${messageOf(cause)}`, {
      place: { file },
      cause,
    });
  });
  const lines = text.split(/\r?\n/).filter((line) => line.trim() !== "");
  if (lines.length === 0)
    throw new GatecrashError("scenario", "the body file is empty", { place: { file } });
  return lines.map((line) => compileTemplate(line, file));
}

/** The next body of a route: starts at a seeded line and goes round. */
export function bodyRotation(files: BodyFiles, rng: Rng): (route: number) => Template | undefined {
  const next = new Map<number, number>();
  for (const [route, bodies] of files) {
    const start = rng.fork(`writes/${route}`).next();
    next.set(route, Math.floor(start * bodies.length));
  }
  return (route) => {
    const bodies = files.get(route);
    const at = next.get(route);
    if (bodies === undefined || at === undefined) return undefined;
    next.set(route, at + 1);
    return bodies[at % bodies.length];
  };
}
