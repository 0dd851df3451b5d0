// The platform's own log lines, byte for byte as Lambda writes them in its text format.

/** Two decimals, as all durations but the billed one. */
const ms = (value: number): string => `${value.toFixed(2)} ms`;

export const initStartLine = (runtime: string, region: string): string =>
  `INIT_START Runtime Version: ${runtime.replace(/^nodejs(\d+)\.x$/, "nodejs:$1")}.v0\t` +
  `Runtime Version ARN: arn:aws:lambda:${region}::runtime:${"0".repeat(64)}\n`;

/** Written only when init failed or overran its ten seconds. */
export const initReportLine = (
  durationMs: number,
  phase: "init" | "invoke",
  status: "" | "timeout" | "error",
  errorType = "",
): string =>
  `INIT_REPORT Init Duration: ${ms(durationMs)}\tPhase: ${phase}` +
  `${status === "" ? "" : `\tStatus: ${status}`}` +
  `${errorType === "" ? "" : `\tError Type: ${errorType}`}\n`;

export const startLine = (requestId: string, version: string): string =>
  `START RequestId: ${requestId} Version: ${version}\n`;

export const endLine = (requestId: string): string => `END RequestId: ${requestId}\n`;

export interface Report {
  readonly requestId: string;
  readonly durationMs: number;
  /** null = warm, or an init that ran inside the invocation. */
  readonly initMs: number | null;
  readonly memoryMb: number;
  readonly maxMemoryMb: number;
  readonly status: "" | "timeout" | "error";
  readonly errorType: string;
  readonly xray: { readonly traceId: string; readonly segmentId: string } | null;
}

/** Init is billed since August 2025: the sum is rounded up to whole milliseconds. */
export const billedMs = (durationMs: number, initMs: number | null): number =>
  Math.max(1, Math.ceil(Number((durationMs + (initMs ?? 0)).toFixed(2))));

export function reportLine(report: Report): string {
  const { requestId, durationMs, initMs, memoryMb, maxMemoryMb, status, errorType } = report;
  const fields = [
    `REPORT RequestId: ${requestId}`,
    `Duration: ${ms(durationMs)}`,
    `Billed Duration: ${billedMs(durationMs, initMs)} ms`,
    `Memory Size: ${memoryMb} MB`,
    `Max Memory Used: ${maxMemoryMb} MB`,
  ];
  if (initMs !== null) fields.push(`Init Duration: ${ms(initMs)}`);
  if (status !== "") fields.push(`Status: ${status}`);
  if (errorType !== "") fields.push(`Error Type: ${errorType}`);
  const line = `${fields.join("\t")}${status === "" ? "\t" : ""}\n`;
  if (report.xray === null) return line;
  const { traceId, segmentId } = report.xray;
  return `${line}XRAY TraceId: ${traceId}\tSegmentId: ${segmentId}\tSampled: true\t\n`;
}
