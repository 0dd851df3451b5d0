// plan --probe in an account: sent as who loads, guarded as a run is, and nothing is changed.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Workplace } from "../support/command-line.ts";
import { type Account, playAccount, rehearsal, STAGING, VISITOR } from "../support/rehearsal.ts";

const place = new Workplace();
afterAll(() => place[Symbol.asyncDispose]());

let staging: Account;
beforeAll(async () => {
  staging = await playAccount(place, STAGING, "checkout.stg.shop.example");
}, 120_000);

const audit = async (): Promise<unknown> =>
  (await fetch(new URL("/_local/audit", staging.endpoint))).json();

describe("plan --probe in an account", () => {
  test("says which rung works there, and changes nothing", async () => {
    const folder = rehearsal(place, { stg: { account: staging } }, VISITOR);
    const { code, out, err } = await place.run("plan", folder, "--env", "stg", "--probe");
    expect([code, err]).toEqual([0, ""]);
    const text = out.replaceAll(/\s+/g, " ");
    expect(text).toMatch(/PROBED visitor: 3 probes: trace id (yes|no) · .* after \d+ s → cold and/);
    expect(text).toContain("3 probes sent, nothing was changed.");
    expect(await audit()).toEqual({ writes: [] });
  }, 120_000);

  test("that looks like production is refused before anything is sent, unless it is named", async () => {
    const folder = rehearsal(place, { prod: { account: staging } }, VISITOR);
    const args = ["plan", folder, "--env", "prod", "--probe"];
    const refused = await place.run(...args);
    expect([refused.code, refused.out]).toEqual([64, ""]);
    expect(refused.err).toContain(`add --yes-production ${STAGING}`);
    const meant = await place.run(...args, "--yes-production", STAGING);
    expect([meant.code, meant.err]).toEqual([0, ""]);
    expect(meant.out).toContain("3 probes sent");
    const plain = await place.run("plan", folder, "--env", "prod");
    expect([plain.code, plain.out.includes("PROBED")]).toEqual([0, false]); // only read
  }, 120_000);
});
