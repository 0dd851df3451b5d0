// A target in front of a server that answers byte by byte: what most targets are tried with.
import type { Call, Target } from "../../src/core/arrival.ts";
import { rawServer } from "../wire/raw-server.ts";
import type { Behaviour, TargetSuite } from "./target.ts";

/** Whole responses, by how the system behaves. */
export interface RawAnswers {
  readonly ok: string;
  readonly throttle: string;
  readonly fail: string;
}

export function overRawServer(
  call: Call,
  answers: RawAnswers,
  targetOf: (url: string, more: { readonly timeoutUs: number }) => Target,
): TargetSuite["open"] {
  return async (timeoutMs) => {
    let behaviour: Behaviour = "ok";
    let seen = 0;
    const server = await rawServer((_, socket) => {
      seen++;
      if (behaviour === "break") socket.destroy();
      else if (behaviour !== "silent") socket.write(answers[behaviour]);
    });
    const target = targetOf(server.url, { timeoutUs: timeoutMs * 1_000 });
    return {
      target,
      call,
      become: (next) => {
        behaviour = next;
      },
      seen: () => seen,
      async [Symbol.asyncDispose]() {
        await target[Symbol.asyncDispose]();
        await server[Symbol.asyncDispose]();
      },
    };
  };
}
