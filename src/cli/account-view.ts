// What an account says of itself before a run: quota, room left, functions, memory. Reads only.
import { AwsFailure, type ControlPlane } from "../core/change.ts";

export interface AccountView {
  /** Concurrency quota as applied; null = it could not be read. */
  readonly quota: number | null;
  /** What reservations leave to everybody. */
  readonly unreserved: number | null;
  readonly functions: number | null;
  /** Of the functions that the scenario names, the largest; null = none or not readable. */
  readonly memoryMb: number | null;
  /** What could not be read, and why. */
  readonly unread: readonly string[];
}

/** Never rejects because of AWS: what may not be read is listed in `unread`. */
export async function viewAccount(
  control: ControlPlane,
  functions: readonly string[],
): Promise<AccountView> {
  const unread: string[] = [];
  const ask = async (action: string, input: { [key: string]: string }) => {
    try {
      return await control.call("lambda", action, input);
    } catch (error) {
      if (!(error instanceof AwsFailure)) throw error;
      unread.push(`${action}: ${error.name}`);
      return null;
    }
  };
  const settings = await ask("GetAccountSettings", {});
  const limit = (settings?.AccountLimit ?? {}) as { readonly [name: string]: number };
  const usage = (settings?.AccountUsage ?? {}) as { readonly [name: string]: number };
  let memoryMb: number | null = null;
  for (const arn of functions) {
    const found = await ask("GetFunctionConfiguration", { FunctionName: arn });
    const memory = found?.MemorySize;
    if (typeof memory === "number") memoryMb = Math.max(memoryMb ?? 0, memory);
  }
  return {
    quota: limit.ConcurrentExecutions ?? null,
    unreserved: limit.UnreservedConcurrentExecutions ?? null,
    functions: usage.FunctionCount ?? null,
    memoryMb,
    unread,
  };
}
