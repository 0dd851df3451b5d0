// A command in this process: what it writes to its streams, and the exit code it asks for.
import { main } from "../../src/cli/main.ts";

export interface Answered {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** `gatecrash <argv>` without a process of its own; a local AWS that it starts is one. */
export async function gatecrash(...argv: readonly string[]): Promise<Answered> {
  const [out, err]: [string[], string[]] = [[], []];
  const streams = {
    stdout: { write: (text: string) => out.push(text) },
    stderr: { write: (text: string) => err.push(text) },
  };
  const code = await main(argv, new AbortController().signal, streams);
  return { code, out: out.join(""), err: err.join("") };
}
