// The table of schedules in virtual time: what was put in another's place is not taken away.
import { expect, it } from "vitest";
import { scheduleOf } from "../../../src/local/scheduler/schedule.ts";
import { ScheduleTable } from "../../../src/local/scheduler/schedule-table.ts";
import { TestClock } from "../../support/test-clock.ts";

it("deletes no schedule that was updated while the old one's target was called", async () => {
  const clock = new TestClock();
  const answers: (() => void)[] = [];
  const table = new ScheduleTable(
    clock,
    () => new Promise((resolve) => answers.push(() => resolve(null))),
  );
  const at = (minutes: number) => {
    const due = new Date(clock.wallMs() + minutes * 60_000).toISOString().slice(0, 19);
    return scheduleOf("undo", {
      ScheduleExpression: `at(${due})`,
      FlexibleTimeWindow: { Mode: "OFF" },
      ActionAfterCompletion: "DELETE",
      Target: {
        Arn: "arn:aws:scheduler:::aws-sdk:lambda:putFunctionConcurrency",
        RoleArn: "arn:aws:iam::000000000000:role/undo",
      },
    });
  };
  table.create(at(1));
  await clock.advance(150_000);
  expect(answers).toHaveLength(1);
  const later = at(60);
  table.update(later);
  answers[0]?.();
  await clock.advance(60_000);
  expect(table.get("default", "undo").schedule).toEqual(later);
  await clock.advance(3_700_000);
  answers[1]?.();
  await clock.advance(0);
  expect(table.all()).toEqual([]);
});
