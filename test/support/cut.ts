// A process that dies after its k-th effect: one counter over every disk write and AWS call.
import type { ControlPlane } from "../../src/core/change.ts";
import type { UndoFile } from "../../src/run/undo-file.ts";

export class Crash extends Error {
  override readonly name = "Crash";
}

export class Cut {
  effects = 0;
  #after: number;

  /** The effect number `after` (from 1) still happens; everything later fails. */
  constructor(after: number) {
    this.#after = after;
  }

  get dead(): boolean {
    return this.effects >= this.#after;
  }

  /** Dies now. */
  kill(): void {
    this.#after = this.effects;
  }

  file(inner: UndoFile): UndoFile {
    return {
      path: inner.path,
      read: () => this.#alive(() => inner.read()),
      append: (text) => this.#effect(() => inner.append(text)),
    };
  }

  control(inner: ControlPlane): ControlPlane {
    return { call: (...call) => this.#effect(() => inner.call(...call)) };
  }

  async #alive<T>(act: () => Promise<T>): Promise<T> {
    if (this.dead) throw new Crash();
    return act();
  }

  /** The process dies with the effect done and its answer never seen. */
  async #effect<T>(act: () => Promise<T>): Promise<T> {
    if (this.dead) throw new Crash();
    this.effects++;
    const settled = await act().then(
      (value) => () => value,
      (error: unknown) => () => {
        throw error;
      },
    );
    if (this.dead) throw new Crash();
    return settled();
  }
}

export class MemoryFile implements UndoFile {
  readonly path = "undo.jsonl";
  text = "";

  async read(): Promise<string> {
    return this.text;
  }

  async append(text: string): Promise<void> {
    this.text += this.text === "" || this.text.endsWith("\n") ? text : `\n${text}`;
  }
}
