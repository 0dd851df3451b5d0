// What every target promises: one suite, called by the test of each target.
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Answer, Call, Target } from "../../src/core/arrival.ts";
import { OUTCOMES, REASONS, REFUSERS } from "../../src/core/outcome.ts";

/** How the system behind the target is to behave from now on. */
export type Behaviour = "ok" | "throttle" | "fail" | "silent" | "break";

export interface TargetUnderTest extends AsyncDisposable {
  readonly target: Target;
  /** A call that the system answers with ok. */
  readonly call: Call;
  become(behaviour: Behaviour): void;
  /** Calls that the system has seen. */
  readonly seen: () => number;
}

export interface TargetSuite {
  readonly name: string;
  /** `timeoutMs`: the timeout that the target is to be given. */
  readonly open: (timeoutMs: number) => Promise<TargetUnderTest>;
  /** Behaviours that the system cannot show, each with the reason. */
  readonly skip?: { readonly [behaviour in Behaviour]?: string };
}

/** Of the target, where nothing is to be waited for: longer than a busy machine stands still. */
const PATIENT_MS = 30_000;
/** Where it is to run out. */
const TIMEOUT_MS = 400;

export function describeTarget(suite: TargetSuite): void {
  describe(`${suite.name} as a target`, () => {
    let under: TargetUnderTest;
    beforeEach(async () => {
      under = await suite.open(PATIENT_MS);
    });
    afterEach(() => under[Symbol.asyncDispose]());

    const send = (): Promise<Answer> =>
      new Promise((resolve) => under.target.send(under.call, resolve));
    const behaves = (behaviour: Behaviour, name: string, test: () => Promise<void>): void => {
      const reason = suite.skip?.[behaviour];
      it.skipIf(reason !== undefined)(reason === undefined ? name : `${name} (${reason})`, test);
    };

    behaves("ok", "answers ok, with times in order and bytes counted", async () => {
      const answer = await send();
      expect([answer.outcome, answer.refusedBy, answer.reason]).toEqual(["ok", "", ""]);
      expectWhole(answer);
      expect(answer.firstByteUs).toBeGreaterThanOrEqual(answer.sentUs);
      expect(answer.doneUs).toBeGreaterThanOrEqual(answer.firstByteUs);
      expect(Math.min(answer.bytesOut, answer.bytesIn)).toBeGreaterThan(0);
    });

    behaves(
      "ok",
      "answers each call once, never synchronously, and counts what is open",
      async () => {
        const calls = 20;
        let answers = 0;
        await new Promise<void>((resolve) => {
          for (let i = 0; i < calls; i++)
            under.target.send(under.call, () => {
              if (++answers === calls) resolve();
            });
          expect([answers, under.target.inFlight]).toEqual([0, calls]);
        });
        await send();
        expect([answers, under.target.inFlight, under.seen()]).toEqual([calls, 0, calls + 1]);
      },
    );

    behaves("throttle", "answers a refusal as throttled, by somebody", async () => {
      under.become("throttle");
      const answer = await send();
      expect([answer.outcome, answer.reason]).toEqual(["throttled", ""]);
      expect(answer.refusedBy).not.toBe("");
      expectWhole(answer);
    });

    behaves("fail", "answers a failure of the system as errored, with a reason", async () => {
      under.become("fail");
      const answer = await send();
      expect([answer.outcome, answer.refusedBy]).toEqual(["errored", ""]);
      expect(answer.reason).not.toBe("");
      expectWhole(answer);
    });

    behaves(
      "break",
      "answers a broken connection as unknown, and sends nothing again",
      async () => {
        under.become("break");
        const answer = await send();
        expect([answer.outcome, answer.reason, answer.status]).toEqual(["unknown", "reset", 0]);
        expect(under.seen()).toBe(1);
        expectWhole(answer);
      },
    );

    behaves("silent", "answers silence as unknown after its timeout", async () => {
      await under[Symbol.asyncDispose]();
      under = await suite.open(TIMEOUT_MS);
      under.become("silent");
      const answer = await send();
      expect([answer.outcome, answer.reason, answer.firstByteUs]).toEqual([
        "unknown",
        "timeout",
        -1,
      ]);
      expect(answer.doneUs - answer.sentUs).toBeGreaterThanOrEqual(TIMEOUT_MS * 1_000);
      expectWhole(answer);
    });

    behaves("silent", "ends what is open when it is disposed, as unfinished", async () => {
      under.become("silent");
      const open = [send(), send()];
      expect(under.target.inFlight).toBe(2);
      await under.target[Symbol.asyncDispose]();
      const answers = await Promise.all(open);
      expect(answers.map((a) => [a.outcome, a.reason])).toEqual([
        ["unknown", "unfinished"],
        ["unknown", "unfinished"],
      ]);
      expect(under.target.inFlight).toBe(0);
    });
  });
}

/** Every field is one that the facts can hold. */
function expectWhole(answer: Answer): void {
  expect(OUTCOMES).toContain(answer.outcome);
  expect(REFUSERS).toContain(answer.refusedBy);
  expect(REASONS).toContain(answer.reason);
  const numbers = [
    ...[answer.status, answer.sentUs, answer.firstByteUs, answer.doneUs],
    ...[answer.connectUs, answer.tlsUs, answer.bytesOut, answer.bytesIn],
  ];
  expect(numbers.filter((n) => !Number.isInteger(n) || n < -1)).toEqual([]);
  expect(answer.doneUs).toBeGreaterThanOrEqual(answer.sentUs);
}
