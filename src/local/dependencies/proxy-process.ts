// Local AWS's end of the process that its dependencies' proxies run in.
import { type ChildProcess, fork } from "node:child_process";
import { fileURLToPath } from "node:url";
import { builtFile } from "../../core/built-file.ts";
import { guardAgainstOrphans } from "../environments/orphan-guard.ts";

import type { Answered, Ask, Asked, ProxyLink } from "./protocol.ts";

type Settle = (answer: Answered) => void;

export class ProxyProcess implements ProxyLink {
  readonly #child: ChildProcess;
  readonly #waiting = new Map<number, Settle>();
  readonly #exited: Promise<void>;
  #asked = 0;
  #closed = false;

  /** `gone`: the process ended by itself, so that nothing reaches any dependency any more. */
  constructor(gone: () => void) {
    const file = fileURLToPath(builtFile("./child/proxy-child.js", import.meta.url));
    this.#child = fork(file, [], { env: {}, stdio: ["ignore", "ignore", "inherit", "ipc"] });
    guardAgainstOrphans(this.#child);
    this.#child.on("message", (answer: Answered) => {
      this.#waiting.get(answer.id)?.(answer);
      this.#waiting.delete(answer.id);
    });
    this.#exited = new Promise((resolve) => {
      const end = (): void => {
        for (const [id, settle] of this.#waiting) settle({ ...NO_ANSWER, id });
        this.#waiting.clear();
        if (!this.#closed) gone();
        resolve();
      };
      this.#child.once("exit", end);
      this.#child.once("error", end);
    });
  }

  /** Rejects with what the process says is wrong. */
  async ask(ask: Ask): Promise<Answered> {
    const asked: Asked = { id: ++this.#asked, ask };
    const answer = await new Promise<Answered>((resolve) => {
      this.#waiting.set(asked.id, resolve);
      this.#child.send(asked, (error) => {
        if (error) resolve({ ...NO_ANSWER, id: asked.id });
      });
    });
    if (answer.error !== "") throw new Error(answer.error);
    return answer;
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#child.kill("SIGKILL");
    await this.#exited;
  }
}

const STATE = { rule: null, seen: 0, chosen: 0 };
const NO_ANSWER = { port: 0, state: STATE, error: "the dependencies' proxies are gone" };
