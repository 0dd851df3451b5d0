// The checks of a run directory, one by one; each holds, does not hold, or cannot be told.
import { readFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import type { Criterion } from "../core/criterion.ts";
import { messageOf } from "../core/error.ts";
import { parseCriterion } from "../core/parse-criterion.ts";
import { parseCriteria } from "../report/criteria-file.ts";
import type { Report } from "../report/result.ts";
import { gitBlobHash } from "../run/run-directory.ts";
import { foldLines, type UndoEntry } from "../run/undo-record.ts";
import { baseChecks } from "./base-checks.ts";
import type { Check } from "./check.ts";
import { commitChecks } from "./commit-checks.ts";
import { DERIVED } from "./report.ts";
import { VERSION } from "./version.ts";

/** `judged` is the run judged again just now. */
export async function verifyRun(dir: string, judged: Report): Promise<Check[]> {
  const yaml = await textOf(join(dir, "scenario.yaml"));
  return [
    scenarioCheck(judged, yaml),
    criteriaCheck(judged, yaml),
    ...baseChecks(judged.plan),
    ...commitChecks(judged.plan),
    ...(await derivedChecks(dir, judged)),
    balanceCheck(judged),
    await undoCheck(dir, judged),
  ];
}

const check = (what: string, holds: boolean | null, detail: string): Check => {
  return { what, state: holds === null ? "unknown" : holds ? "yes" : "no", detail };
};

/** null = there is no such file. */
async function textOf(file: string): Promise<string | null> {
  try {
    return await readFile(file, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw error;
  }
}

function scenarioCheck({ plan }: Report, yaml: string | null): Check {
  const what = "scenario is the planned one";
  if (yaml === null) return check(what, false, "there is no scenario.yaml in the run");
  const blob = gitBlobHash(yaml);
  const same = blob === plan.scenario.blob;
  const planned = plan.scenario.blob.slice(0, 12);
  return check(what, same, same ? `blob ${planned}` : `${blob.slice(0, 12)}, planned ${planned}`);
}

function criteriaCheck({ plan }: Report, yaml: string | null): Check {
  const what = "criteria are the scenario's";
  if (yaml === null) return check(what, null, "there is no scenario.yaml in the run");
  try {
    const written = parseCriteria(yaml, "scenario.yaml").map(whole);
    const planned = plan.criteria.accept.map((text) => whole(parseCriterion(text)));
    const off = planned.find((text, i) => text !== written[i]) ?? written[planned.length];
    if (off === undefined) return check(what, true, `${planned.length} in the order written`);
    return check(what, false, `differs: ${off}`);
  } catch (error) {
    return check(what, false, messageOf(error));
  }
}

const whole = ({ text, primary }: Criterion): string => `${text}${primary ? " primary" : ""}`;

/** Derived files hold the directory's name as it was given when they were made. */
const NAMED = /gatecrash report (\S+)/;

async function derivedChecks(dir: string, judged: Report): Promise<Check[]> {
  const older = judged.plan.version === VERSION ? "" : ` (made by ${judged.plan.version})`;
  const checks: Check[] = [];
  for (const [file, reporter] of DERIVED) {
    const what = `${file} recomputed`;
    const text = await textOf(join(dir, file));
    if (text === null) {
      if (file === "result.json") checks.push(check(what, null, "it was never made, or deleted"));
      continue;
    }
    const named = NAMED.exec(text)?.[1];
    const places = [dir, resolve(dir), ...(named === undefined ? [] : [named])];
    const same = places.some((place) => reporter({ ...judged, dir: place }) === text);
    checks.push(check(what, same, same ? "equal, byte for byte" : `it differs${older}`));
  }
  return checks;
}

function balanceCheck({ balance, counts }: Report): Check {
  const sum = `${counts.planned} planned = ${counts.sent} sent + ${counts.dropped} dropped`;
  return check("facts balance", balance.holds, balance.holds ? sum : balance.problems.join("; "));
}

/** Every fault that was asked for has a record, and every record came to its end. */
async function undoCheck(dir: string, { faults }: Report): Promise<Check> {
  const what = "changes are undone";
  const injected = faults.filter((fault) => fault.injected);
  const text = await textOf(join(dir, "undo.jsonl"));
  const { entries } = foldLines(text ?? "");
  const open = entries.filter(({ state }) => !DONE.includes(state));
  if (open.length > 0) return check(what, false, open.map(openText).join("; "));
  const left = faults.find((fault) => fault.notUndone !== null);
  if (left?.notUndone != null) return check(what, false, left.notUndone.state);
  const bare = injected.filter(({ name }) => !entries.some(({ record }) => record.fault === name));
  if (bare.length > 0)
    return check(what, false, `no record of ${bare.map(({ name }) => name).join(", ")}`);
  if (entries.length === 0) return check(what, true, "nothing was changed");
  return check(what, true, `${entries.length} of ${entries.length} records verified and settled`);
}

const DONE: readonly UndoEntry["state"][] = ["verified", "settled", "void"];

function openText({ record, state, detail }: UndoEntry): string {
  const why = detail === null ? "" : ` (${detail})`;
  const now = record.command === "" ? "" : `; do now: ${record.command}`;
  return `${record.resource} is ${state}${why}${now}`;
}
