// What is still read once the load is over: one thing that fails does not cost the others.
import { expect, test } from "vitest";
import { lookAfter } from "../../src/cli/look-after.ts";
import { epochMs } from "../../src/core/time.ts";
import { SkipClock } from "../support/skip-clock.ts";

type Input = Parameters<typeof lookAfter>;

const full = (): Error => Object.assign(new Error("ENOSPC: no space left"), { code: "ENOSPC" });

/** Which steps were begun, what was said, and what was thrown in the end. */
async function after(compare: () => Promise<void>, settle: () => Promise<[]>) {
  const steps: string[] = [];
  const said: string[] = [];
  const clock = new SkipClock();
  const session = {
    ...{ dir: "/nowhere", clock, hide: (text: string) => text, progress: { step: () => {} } },
    context: { signal: new AbortController().signal, err: (text: string) => said.push(text) },
  };
  const system = {
    endpoint: "http://127.0.0.1:1",
    logs: {},
    control: {
      call: async (service: string) => {
        steps.push(service);
        throw new Error("no figures");
      },
    },
  };
  const observe = { waitUs: 0, reports: [], accessLog: null, metricFunctions: [], queues: {} };
  const loaded = {
    scenario: { loads: [], budgetUs: null, observe: { ...observe, metricAccount: true } },
    sinks: {
      settle: () => {
        steps.push("settle");
        return settle();
      },
    },
    summary: { epochMs: epochMs(clock.wallMs()) },
    close: (text: string) => text,
    under: { smoked: {}, compare },
    fronts: [],
  };
  const input = [session, system, loaded] as unknown as Input;
  const thrown = await lookAfter(...input).catch((error: unknown) => error);
  return { steps, said: said.join(""), thrown };
}

test("a full disk at one step is told, and the other steps are taken", async () => {
  const { steps, said, thrown } = await after(
    async () => Promise.reject(full()),
    async () => Promise.reject(full()),
  );
  expect(steps).toEqual(["settle", "cloudwatch"]);
  expect(said.match(/last facts could not be kept: ENOSPC/g)).toHaveLength(1);
  expect(said).toContain("the platform's lines could not be read: no figures");
  expect(thrown).toBe(undefined);
});

test("what is no fault of the machine is thrown once every step was taken", async () => {
  const bug = new Error("a bug");
  const one = await after(
    async () => Promise.reject(bug),
    async () => [],
  );
  expect(one).toMatchObject({ steps: ["settle", "cloudwatch"], thrown: bug });
  const other = new Error("another");
  const two = await after(
    async () => Promise.reject(bug),
    async () => Promise.reject(other),
  );
  expect((two.thrown as AggregateError).errors).toEqual([bug, other]);
});
