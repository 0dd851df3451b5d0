// Sinks and what reading them may use, for tests to vary.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import type { SinkSpec } from "../../src/core/scenario.ts";
import { readSink } from "../../src/observe/sinks/read-sink.ts";
import type { SinkPorts, SinkRow } from "../../src/observe/sinks/sink-row.ts";
import { AutoClock } from "./auto-clock.ts";

/** A folder that is gone when the test is over. */
export function temporaryFolder(): string {
  const dir = mkdtempSync(join(tmpdir(), "gatecrash-sinks-"));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  return dir;
}

export function sinkSpec(kind: string, input: SinkSpec["input"], more: Partial<SinkSpec> = {}) {
  const spec: SinkSpec = {
    ...{ name: "deliveries", kind, of: ["carrier"], id: "eventId", cell: ["depot"], input },
    ...{ quietUs: 10_000_000, atMostUs: 60_000_000 },
    ...more,
  };
  return spec;
}

export function sinkPorts(dir: string, more: Partial<SinkPorts> = {}): SinkPorts {
  return {
    clock: new AutoClock(),
    dir,
    control: null,
    allowExec: false,
    env: { PATH: process.env.PATH },
    secretsIn: (text) => text.replace("{{env.TOKEN}}", "secret"),
    fetch: globalThis.fetch,
    ...more,
  };
}

export async function rowsOf(
  spec: SinkSpec,
  ports: SinkPorts,
  signal = new AbortController().signal,
): Promise<SinkRow[]> {
  const rows: SinkRow[] = [];
  for await (const batch of readSink(spec, ports, signal)) rows.push(...batch);
  return rows;
}
