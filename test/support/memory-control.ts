// A control plane in memory: reserved concurrency with AWS's shapes, for tests in virtual time.
import { AwsFailure, type ControlPlane, type Json } from "../../src/core/change.ts";

type Input = { readonly [key: string]: Json };

export class MemoryControl implements ControlPlane {
  /** Reservation by function name; absent = unset. A name not in `functions` does not exist. */
  readonly reserved = new Map<string, number>();
  readonly functions: Set<string>;
  /** Every call in order: the audit. */
  readonly calls: string[] = [];
  /** Runs before a call is answered; may throw, wait or change state. */
  before: (action: string, input: Input) => void | Promise<void> = () => {};

  constructor(...functions: string[]) {
    this.functions = new Set(functions);
  }

  get writes(): string[] {
    return this.calls.filter((call) => /^(Put|Delete)/.test(call));
  }

  async call(_service: string, action: string, input: Input): Promise<{ [key: string]: unknown }> {
    const name = String(input.FunctionName);
    const to = input.ReservedConcurrentExecutions;
    this.calls.push(to === undefined ? `${action} ${name}` : `${action} ${name} ${to}`);
    await this.before(action, input);
    if (!this.functions.has(name)) {
      throw new AwsFailure("ResourceNotFoundException", `Function not found: ${name}`, "", 404);
    }
    return this.#act(action, name, Number(to));
  }

  #act(action: string, name: string, to: number): { [key: string]: unknown } {
    const value = this.reserved.get(name);
    if (action === "PutFunctionConcurrency") this.reserved.set(name, to);
    else if (action === "DeleteFunctionConcurrency") this.reserved.delete(name);
    else if (action === "Invoke") {
      if (value !== 0) return { StatusCode: 200 };
      const reason = "ReservedFunctionConcurrentInvocationLimitExceeded";
      throw new AwsFailure("TooManyRequestsException", "Rate Exceeded.", reason, 429);
    }
    const now = this.reserved.get(name);
    return now === undefined ? {} : { ReservedConcurrentExecutions: now };
  }
}
