// Real processes killed at random moments of a fault's life, then healed: how many are left on.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createControlPlane } from "../src/aws/control-plane.ts";
import { seededRng } from "../src/core/rng.ts";
import { heal, killedAt } from "../test/support/killed.ts";
import { startLocalShop } from "../test/support/local-shop.ts";

/** `SOAK_KILLS=50` for a short one; another `SOAK_SEED` for other moments. */
const KILLS = Number(process.env.SOAK_KILLS ?? 1_000);
const SEED = Number(process.env.SOAK_SEED ?? 6);
/** Effects of a whole life are said in twice as many lines. */
const LINES = 42;
const PRIORS = [null, 0, 7];
const FIELD = "ReservedConcurrentExecutions";
const TARGET = { FunctionName: "checkout" };

/** Heals by turns from the undo log and from the account, as on another machine. */
export async function benchSoak(): Promise<void> {
  await using shop = await startLocalShop();
  const { endpoint } = shop;
  const where = { endpoint, region: "eu-west-1", account: null, runId: "soak" };
  const control = createControlPlane(where);
  const rng = seededRng(SEED, "soak");
  const folder = mkdtempSync(join(tmpdir(), "gatecrash-soak-"));
  let [left, inFault] = [0, 0];
  const reserved = async (): Promise<unknown> =>
    (await control.call("lambda", "GetFunctionConcurrency", TARGET))[FIELD] ?? null;
  for (let kill = 0; kill < KILLS; kill++) {
    const prior = PRIORS[kill % PRIORS.length] ?? null;
    if (prior === null) await control.call("lambda", "DeleteFunctionConcurrency", TARGET);
    else await control.call("lambda", "PutFunctionConcurrency", { ...TARGET, [FIELD]: prior });
    const log = join(folder, `${kill}.jsonl`);
    writeFileSync(log, "");
    const line = 1 + Math.floor(rng.next() * LINES);
    await killedAt({ line, shop, log });
    if ((await reserved()) !== prior) inFault++;
    const isFromLog = rng.next() < 0.5;
    if (isFromLog) await heal("--undo-log", log);
    const { code, text } = await heal("--endpoint", endpoint, "--verify-clean");
    if (code === 0 && (await reserved()) === prior) continue;
    left++;
    console.log(`LEFT ON: kill ${kill} at line ${line}, prior ${prior}: ${text}`);
  }
  rmSync(folder, { recursive: true });
  console.log(
    `seed ${SEED}: ${KILLS} processes killed, ` +
      `${inFault} of them with the fault in force, ${left} left`,
  );
  if (left > 0) throw new Error(`${left} faults were left on`);
}
