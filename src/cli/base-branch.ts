// The branch that a pull request is for, and a file as that branch has it; reads only.
import { readFileSync } from "node:fs";
import { basename, dirname } from "node:path";
import { GatecrashError } from "../core/error.ts";
import { gitIn, type Said } from "./git.ts";

type Env = { readonly [name: string]: string | undefined };

export interface BaseRef {
  /** As people call it. */
  readonly name: string;
  /** What git may know it by, best first. */
  readonly candidates: readonly string[];
}

/**
 * `--base`, or what GitHub Actions and GitLab CI say of a pull or merge request; null = neither.
 * Throws GatecrashError("usage") for what can be no name of a branch or commit.
 */
export function baseRefOf(asked: string | null, env: Env): BaseRef | null {
  if (asked !== null) {
    if (isRef(asked)) return { name: asked, candidates: [asked] };
    throw new GatecrashError("usage", `--base ${asked} is no branch or commit`, {
      hint: "name it as git does: --base origin/main",
    });
  }
  const github = env.GITHUB_BASE_REF ?? "";
  if (/^pull_request(_target)?$/.test(env.GITHUB_EVENT_NAME ?? "") && github !== "")
    return ofBranch(github, eventSha(env.GITHUB_EVENT_PATH ?? ""));
  const gitlab = env.CI_MERGE_REQUEST_TARGET_BRANCH_NAME ?? "";
  const sha = env.CI_MERGE_REQUEST_DIFF_BASE_SHA ?? "";
  if (gitlab === "" && !isSha(sha)) return null;
  return ofBranch(gitlab === "" ? sha : gitlab, isSha(sha) ? sha : null);
}

/** A name that begins with `-` would be an option to git, and `..` or blanks are no name to it. */
const isRef = (text: string): boolean => /^[\w./@{}^~+#-]+$/.test(text) && !/^-|\.\./.test(text);
const isSha = (text: string): boolean => /^[0-9a-f]{40}([0-9a-f]{24})?$/.test(text);

/** The remote's branch before one of our own that may be behind, then the very commit. */
function ofBranch(branch: string, sha: string | null): BaseRef {
  const names = isRef(branch) ? [`refs/remotes/origin/${branch}`, `refs/heads/${branch}`] : [];
  const candidates = [...names, ...(sha === null ? [] : [sha])];
  return { name: isSha(branch) ? branch.slice(0, 12) : `origin/${branch}`, candidates };
}

/** GitHub says in the event's file which commit the base branch was at. */
function eventSha(file: string): string | null {
  try {
    const event = JSON.parse(readFileSync(file, "utf8")) as {
      readonly pull_request?: { readonly base?: { readonly sha?: unknown } };
    };
    const sha = event.pull_request?.base?.sha;
    return typeof sha === "string" && isSha(sha) ? sha : null;
  } catch {
    return null;
  }
}

/** A file as the base has it. */
export interface BaseFile {
  /** The last commit that the base and HEAD both have. */
  readonly commit: string;
  /** From the top of the repository. */
  readonly path: string;
  /** At that commit: what the pull request was made from. */
  readonly text: string;
  /** At the tip of the base branch: what holds there now. */
  readonly tip: string;
}

/** The file, or why it cannot be had. */
export function readBase(file: string, { name, candidates }: BaseRef): BaseFile | string {
  const git = gitIn(dirname(file));
  const prefix = git("rev-parse", "--show-prefix");
  if (prefix.failed !== null) return `no git repository holds the scenario (${prefix.failed})`;
  const tip = candidates
    .map((ref) => git("rev-parse", "--verify", "--quiet", "--end-of-options", `${ref}^{commit}`))
    .find(({ failed }) => failed === null)?.out;
  if (tip === undefined || !isSha(tip)) return `this clone does not have ${name}`;
  const commit = git("merge-base", tip, "HEAD");
  if (commit.failed !== null || !isSha(commit.out))
    return `this clone holds no commit that ${name} and this branch share`;
  const path = `${prefix.out}${basename(file)}`;
  const texts = [commit.out, tip].map((at) => git("cat-file", "blob", `${at}:${path}`));
  const [text, now] = texts as [Said, Said];
  if (text.failed !== null) return `${path} is not in ${name} (commit ${commit.out.slice(0, 12)})`;
  if (now.failed !== null) return `${path} is no longer in ${name}`;
  return { commit: commit.out, path, text: text.raw, tip: now.raw };
}
