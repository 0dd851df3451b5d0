// A git repository in a folder of its own, as a pull request's checkout has it.
import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

const NOBODY = ["-c", "user.name=nobody", "-c", "user.email=nobody@example.invalid"];

export class Repository {
  readonly dir: string;

  constructor(dir: string) {
    this.dir = dir;
    mkdirSync(dir, { recursive: true });
    this.git("init", "--quiet", "--initial-branch=main");
  }

  git(...args: string[]): string {
    const env = { PATH: process.env.PATH, HOME: this.dir, GIT_CONFIG_NOSYSTEM: "1" };
    const stdio: ["ignore", "pipe", "pipe"] = ["ignore", "pipe", "pipe"];
    const options = { cwd: this.dir, encoding: "utf8", env, stdio } as const;
    return execFileSync("git", [...NOBODY, ...args], options).trim();
  }

  write(path: string, text: string): void {
    mkdirSync(dirname(join(this.dir, path)), { recursive: true });
    writeFileSync(join(this.dir, path), text);
  }

  /** Commits all there is; its hash. */
  commit(message: string): string {
    this.git("add", "-A");
    this.git("commit", "--quiet", "--allow-empty", "-m", message);
    return this.git("rev-parse", "HEAD");
  }

  /** What CI has of the base branch, which is then at this commit. */
  remoteIsAt(commit: string, branch = "main"): void {
    this.git("update-ref", `refs/remotes/origin/${branch}`, commit);
  }
}
