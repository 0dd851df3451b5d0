// One sink's part of the facts: what it held at each look, how often, and since when it is quiet.
import { mkdir, readdir, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { requestKey } from "../../core/ids.ts";
import { KeyTable } from "../../core/key-table.ts";
import type { PlannedSink, SinkFile, SinkLook } from "../../core/ledger-facts.ts";
import type { SinkSpec } from "../../core/scenario.ts";
import { PartWriter } from "./parts.ts";
import type { SinkRow } from "./sink-row.ts";

/** How plan.json names a sink. */
export function plannedSink({ name, kind, of, id, cell, input }: SinkSpec): PlannedSink {
  return {
    ...{ name, kind, of, cells: cell !== null },
    ...(id === null ? { counted: true } : {}),
    ...(input.shard === undefined ? {} : { by_shard: true }),
  };
}

/** What one look found; equal prints of two looks mean that nothing has changed. */
export interface Seen {
  readonly rows: number;
  readonly counted: number;
  readonly print: string;
}

/** Writes `effects/<sink>/`: rows of the last whole look, and sink.json. */
export class Effects {
  readonly #dir: string;
  readonly #spec: SinkSpec;
  /** Id → look at which it was first seen. */
  readonly #firstLook = new KeyTable();
  #look = 0;
  #looks: SinkLook[] = [];

  constructor(runDir: string, spec: SinkSpec) {
    this.#dir = join(runDir, "effects", spec.name);
    this.#spec = spec;
  }

  /** Reads all rows into files of their own. Rejects, leaving the last look as it is. */
  async take(look: number, rows: AsyncIterable<readonly SinkRow[]>): Promise<Seen> {
    await mkdir(this.#dir, { recursive: true });
    const parts = new PartWriter(join(this.#dir, String(look)), [
      { name: "id", type: "STRING" },
      { name: "cell", type: "STRING" },
      { name: "count", type: "INT32" },
      { name: "first_look", type: "INT32" },
    ]);
    const print = new Fingerprint();
    let counted = 0;
    try {
      for await (const batch of rows)
        for (const { id, cell, count } of batch) {
          const key = requestKey(id);
          const known = this.#firstLook.get(key, 0);
          if (known < 0) this.#firstLook.set(key, 0, look);
          counted += count;
          print.add(key, count);
          if (parts.add(id, cell, count, known < 0 ? look : known)) await parts.flush();
        }
      await parts.flush();
    } catch (error) {
      await this.#remove((name) => name.startsWith(`${look}-`));
      throw error;
    }
    return { rows: parts.rows, counted, print: `${parts.rows}/${counted}/${print.text}` };
  }

  /** This look is the one that counts; `changed` = it differs from the one before. */
  async keep(look: SinkLook, changed: boolean): Promise<void> {
    this.#look = look.look;
    if (!changed && this.#looks.length > 1) this.#looks.pop();
    this.#looks.push(look);
    await this.say("looking", "");
    await this.#remove((name) => /^\d+-/.test(name) && !name.startsWith(`${look.look}-`));
  }

  async say(state: SinkFile["state"], detail: string): Promise<void> {
    const { quietUs, atMostUs } = this.#spec;
    const content: SinkFile = {
      ...plannedSink(this.#spec),
      ...{ quiet_us: quietUs, at_most_us: atMostUs, state, detail },
      ...{ look: this.#look, looks: this.#looks },
    };
    await mkdir(this.#dir, { recursive: true });
    const file = join(this.#dir, "sink.json");
    await writeFile(`${file}.part`, `${JSON.stringify(content, null, 1)}\n`);
    await rename(`${file}.part`, file);
  }

  async #remove(which: (name: string) => boolean): Promise<void> {
    const names = (await readdir(this.#dir)).filter(which);
    await Promise.all(names.map((name) => rm(join(this.#dir, name))));
  }
}

/** The same for the same rows in any order: sums of the keys' words, each times its count. */
class Fingerprint {
  #a = 0;
  #b = 0;

  add(key: Uint8Array, count: number): void {
    const word = (at: number): number =>
      key[at]! | (key[at + 1]! << 8) | (key[at + 2]! << 16) | (key[at + 3]! << 24);
    this.#a = (this.#a + Math.imul(word(0) ^ Math.imul(word(4), 0x85ebca6b), count + 1)) | 0;
    this.#b = (this.#b + Math.imul(word(8) ^ Math.imul(word(12), 0xc2b2ae35), count + 1)) | 0;
  }

  get text(): string {
    return `${this.#a >>> 0}.${this.#b >>> 0}`;
  }
}
