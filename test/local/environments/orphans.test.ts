// Children die with their parent, however it ends.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { setTimeout as wait } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { builtFile } from "../../../src/core/built-file.ts";
import { FUNCTIONS } from "./host.ts";

/** Process ids whose parent is `pid`. */
function childrenOf(pid: number): number[] {
  const text = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8");
  return text.split(" ").filter(Boolean).map(Number);
}

const canSee = existsSync(`/proc/${process.pid}/task/${process.pid}/children`);

it.runIf(canSee)(
  "leaves no process behind a parent killed at once, not even a busy one",
  async () => {
    const file = fileURLToPath(builtFile("./orphan-parent.js", import.meta.url));
    const parent = spawn(process.execPath, [file, FUNCTIONS], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    await Promise.race([once(parent.stdout, "data"), once(parent, "exit")]);
    const children = childrenOf(parent.pid ?? 0);
    expect(children.length).toBeGreaterThanOrEqual(5); // shared, own, two waiting, the guard, esbuild
    parent.kill("SIGKILL");
    const deadline = Date.now() + 8_000;
    while (children.some((pid) => existsSync(`/proc/${pid}/statm`)) && Date.now() < deadline) {
      await wait(50);
    }
    expect(children.filter((pid) => existsSync(`/proc/${pid}/statm`))).toEqual([]);
  },
);
