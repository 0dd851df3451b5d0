// A real local AWS for a fault under test, with a clock that can be let jump ahead.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createControlPlane } from "../../src/aws/control-plane.ts";
import type { ControlPlane, Fields } from "../../src/core/change.ts";
import { startLocalAws } from "../../src/local/start.ts";
import type { FaultSubject } from "./fault-life.ts";
import { SkipClock } from "./skip-clock.ts";

const STEP_MS = 30_000;
const HANDLER = "export const handler = async () => ({ ok: 1 });\n";

export interface LocalSubjectSpec extends Pick<FaultSubject, "fault" | "other" | "foreign"> {
  /** All of the template but its two functions, `checkout` and `front`; two blanks of indent. */
  readonly resources?: string;
  /** More properties of both functions; six blanks of indent. */
  readonly properties?: string;
  /** Below `Metadata: Gatecrash:`; four blanks of indent. */
  readonly metadata?: string;
  readonly set: (control: ControlPlane, fields: Fields, other?: "other") => Promise<void>;
  /** After the start, before anything is tested. */
  readonly before?: (control: ControlPlane, clock: SkipClock) => Promise<void>;
}

export async function startSubject(spec: LocalSubjectSpec): Promise<FaultSubject> {
  const clock = new SkipClock();
  const folder = mkdtempSync(join(tmpdir(), "gatecrash-subject-"));
  mkdirSync(join(folder, "functions"));
  writeFileSync(join(folder, "functions", "index.mjs"), HANDLER);
  const template = join(folder, "template.yaml");
  writeFileSync(template, templateOf(spec));
  const local = await startLocalAws({ template }, clock);
  const { endpoint } = local;
  const where = { endpoint, region: "eu-west-1", account: null, runId: "test" };
  const control = createControlPlane(where);
  await spec.before?.(control, clock);
  return {
    control,
    clock,
    endpoint,
    leased: true,
    fault: spec.fault,
    other: spec.other,
    foreign: spec.foreign,
    set: (fields, other) => spec.set(control, fields, other),
    pass: async (ms) => {
      for (let left = ms; left > 0; left -= STEP_MS) await clock.skip(STEP_MS);
    },
    close: async () => {
      await local.stop();
      rmSync(folder, { recursive: true });
    },
  };
}

function templateOf({ resources = "", properties = "", metadata = "" }: LocalSubjectSpec): string {
  const one = (id: string, name: string): string =>
    `  ${id}:\n    Type: AWS::Serverless::Function\n    Properties:\n` +
    `      FunctionName: ${name}\n      Runtime: nodejs20.x\n      Handler: index.handler\n` +
    `      CodeUri: functions/\n${properties}`;
  const ours = metadata === "" ? "" : `Metadata:\n  Gatecrash:\n${metadata}`;
  return (
    "AWSTemplateFormatVersion: '2010-09-09'\nTransform: AWS::Serverless-2016-10-31\n" +
    `${ours}Resources:\n${one("Checkout", "checkout")}${one("Front", "front")}${resources}`
  );
}
