// Real time: the one file that measures real lag, and is allowed to be slow.
import { spawn } from "node:child_process";
import { describe, expect, it } from "vitest";
import { builtFile } from "../../src/core/built-file.ts";
import { type RunUs, runUs } from "../../src/core/time.ts";
import { systemClock } from "../../src/run/clock.ts";
import { createPacer, type OwnPacer, type PacingMode } from "../../src/run/pacing.ts";

const clock = systemClock();
const now = (): RunUs => clock.nowUs();
const pacerOf = (mode: PacingMode): OwnPacer => createPacer({ now, mode });
const wakeUp = (pacer: OwnPacer, atUs: number): Promise<number> =>
  new Promise((resolve) => pacer.wakeAt(runUs(atUs), () => resolve(now() - atUs)));
const median = (values: number[]): number =>
  [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;

/** Far above what an idle machine shows (0.1 ms, µs, 1 ms), far below a lost wake-up. */
const MEDIAN_LAG_US_MAX = { thread: 20_000, spin: 20_000, timeout: 30_000 };

describe.each<PacingMode>(["thread", "spin", "timeout"])("pacing by %s", (mode) => {
  it("wakes at each moment of a schedule, never early and soon after", async () => {
    await using pacer = pacerOf(mode);
    const lags: number[] = [];
    await wakeUp(pacer, now() + 50_000); // a thread has to start once
    const startUs = now();
    for (let k = 1; k <= 150; k++) lags.push(await wakeUp(pacer, startUs + k * 1_300));
    expect(Math.min(...lags)).toBeGreaterThanOrEqual(0);
    expect(median(lags)).toBeLessThan(MEDIAN_LAG_US_MAX[mode]);
  });

  it("wakes for a moment that is past, and not synchronously", async () => {
    await using pacer = pacerOf(mode);
    let woken = false;
    const done = new Promise<void>((resolve) => {
      pacer.wakeAt(runUs(now() - 1_000), () => {
        woken = true;
        resolve();
      });
    });
    expect(woken).toBe(false);
    await done;
  });

  it("moves a wake-up forth and back when it is asked again by the same function", async () => {
    await using pacer = pacerOf(mode);
    const calls: number[] = [];
    let finish = (): void => {};
    const finished = new Promise<void>((resolve) => {
      finish = resolve;
    });
    const wake = (): void => {
      calls.push(now());
      finish();
    };
    const startUs = now();
    pacer.wakeAt(runUs(startUs + 1_000), wake);
    pacer.wakeAt(runUs(startUs + 60_000_000), wake);
    pacer.wakeAt(runUs(startUs + 30_000), wake);
    await finished;
    await wakeUp(pacer, now() + 20_000);
    expect(calls.length).toBe(1);
    expect(calls[0]).toBeGreaterThanOrEqual(startUs + 30_000);
  });

  it("keeps the wake-ups of several loads apart", async () => {
    await using pacer = pacerOf(mode);
    const startUs = now();
    const order: string[] = [];
    const wakes = [30_000, 10_000, 20_000].map((afterUs) =>
      wakeUp(pacer, startUs + afterUs).then((lagUs) => {
        order.push(`${afterUs} ${lagUs >= 0}`);
      }),
    );
    await Promise.all(wakes);
    expect(order).toEqual(["10000 true", "20000 true", "30000 true"]);
  });

  it("loses no wake-up when orders overtake answers", async () => {
    await using pacer = pacerOf(mode);
    for (let round = 0; round < 300; round++) {
      const soon = wakeUp(pacer, now() + (round % 7) * 40);
      const moved = (): void => {};
      pacer.wakeAt(runUs(now() + 5_000_000), moved);
      await soon;
      pacer.wakeAt(now(), moved);
    }
  });

  it("wakes nobody after disposal", async () => {
    const pacer = pacerOf(mode);
    let woken = 0;
    pacer.wakeAt(runUs(now() + 1_000), () => woken++);
    pacer.wakeAt(runUs(now() - 1_000), () => woken++);
    await pacer[Symbol.asyncDispose]();
    await using other = pacerOf("timeout");
    await wakeUp(other, now() + 10_000);
    expect(woken).toBe(0);
  });

  it("lets the process end once nothing is owed, and not before", async () => {
    const program = `
      import { createPacer } from ${JSON.stringify(builtFile("../../src/run/pacing.js", import.meta.url).href)};
      const now = () => Math.floor(performance.now() * 1000);
      const pacer = createPacer({ now, mode: ${JSON.stringify(mode)} });
      pacer.wakeAt(now() + 20_000, () => console.log("woken"));
    `;
    const child = spawn(process.execPath, ["--input-type=module", "--eval", program]);
    let output = "";
    child.stdout.on("data", (data) => {
      output += String(data);
    });
    const code = await new Promise((resolve) => child.on("exit", resolve));
    expect([code, output]).toEqual([0, "woken\n"]);
  });
});
