// git as it is asked about a repository here: reads only.
import { execFileSync } from "node:child_process";
import { messageOf } from "../core/error.ts";

export interface Said {
  readonly out: string;
  /** Without its last line break taken off. */
  readonly raw: string;
  /** git's own words, null = it did not fail. */
  readonly failed: string | null;
}

const OUT_BYTES_MAX = 1 << 28;

/** Neither a shell, nor a lock, nor a network: what is not here is not fetched. */
export function gitIn(cwd: string): (...args: string[]) => Said {
  const env = {
    ...process.env,
    ...{ GIT_OPTIONAL_LOCKS: "0", GIT_NO_LAZY_FETCH: "1", GIT_TERMINAL_PROMPT: "0", LC_ALL: "C" },
  };
  return (...args) => {
    try {
      const stdio: ["ignore", "pipe", "pipe"] = ["ignore", "pipe", "pipe"];
      const options = { cwd, env, encoding: "utf8", stdio, maxBuffer: OUT_BYTES_MAX } as const;
      const raw = execFileSync("git", args, options);
      return { out: raw.trim(), raw, failed: null };
    } catch (error) {
      const { stderr } = error as { readonly stderr?: unknown };
      const said = typeof stderr === "string" ? (stderr.trim().split("\n")[0] ?? "") : "";
      return { out: "", raw: "", failed: said === "" ? messageOf(error) : said };
    }
  };
}
