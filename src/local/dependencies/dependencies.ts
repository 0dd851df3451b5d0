// The dependencies that the template declares: their proxies, and the rules that these go by.
import { messageOf } from "../../core/error.ts";
import { validationError } from "../aws-error.ts";
import type { ProxyLink } from "./protocol.ts";
import { ProxyProcess } from "./proxy-process.ts";
import { parseRule } from "./rule.ts";

/** A rule is a parameter of this path and the dependency's name; `…/state` is what is in force. */
const RULES = "/gatecrash/dependency/";
const STATE = "/state";

export class Dependencies implements AsyncDisposable {
  readonly #names = new Set<string>();
  readonly #start: (gone: () => void) => ProxyLink;
  #process: ProxyLink | null = null;

  constructor(start: (gone: () => void) => ProxyLink = (gone) => new ProxyProcess(gone)) {
    this.#start = start;
  }

  /** Resolves to the port that stands in front of `target`. `gone`: they can serve no more. */
  async open(name: string, target: string, gone: () => void): Promise<number> {
    this.#process ??= this.#start(gone);
    const { port } = await this.#process.ask({ kind: "open", name, target });
    this.#names.add(name);
    return port;
  }

  /** In force once this resolves. Throws ValidationException for what is no rule of ours. */
  async put(parameter: string, value: string): Promise<void> {
    if (!parameter.startsWith(RULES)) return;
    const name = parameter.slice(RULES.length);
    if (!this.#names.has(name)) {
      const known = [...this.#names].join(", ") || "none";
      throw validationError(`No dependency ${name} is declared here; there are: ${known}`);
    }
    try {
      parseRule(value);
    } catch (error) {
      throw validationError(`No rule of a dependency: ${messageOf(error)}`);
    }
    await this.#process?.ask({ kind: "apply", name, rule: value });
  }

  /** Transparent once this resolves. */
  async delete(parameter: string): Promise<void> {
    const name = parameter.slice(RULES.length);
    if (parameter.startsWith(RULES) && this.#names.has(name))
      await this.#process?.ask({ kind: "apply", name, rule: null });
  }

  /** What a proxy says of itself, as JSON; null = `parameter` is none that it answers for. */
  async state(parameter: string): Promise<string | null> {
    if (!parameter.startsWith(RULES) || !parameter.endsWith(STATE)) return null;
    const name = parameter.slice(RULES.length, -STATE.length);
    if (this.#process === null || !this.#names.has(name)) return null;
    return JSON.stringify((await this.#process.ask({ kind: "state", name })).state);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#process?.close();
  }
}
