// Brings a capture in: finds its format, redacts, sorts, selects, and says how faithful it is.
import { readdir, stat } from "node:fs/promises";
import { basename, join } from "node:path";
import { busiestSpan } from "../core/busiest.ts";
import type { CaptureRecord } from "../core/capture.ts";
import { GatecrashError } from "../core/error.ts";
import type { Rng } from "../core/rng.ts";
import { US_PER_MS, US_PER_S } from "../core/time.ts";
import { albFormat } from "./alb.ts";
import { apiGatewayFormat } from "./api-gateway.ts";
import { openCapture } from "./bytes.ts";
import { cloudfrontFormat } from "./cloudfront.ts";
import { Collector, census } from "./collector.ts";
import { combinedFormat } from "./combined.ts";
import type { Fidelity } from "./fidelity.ts";
import type { CaptureFormat } from "./format.ts";
import { gorFormat } from "./gor.ts";
import { harFormat } from "./har.ts";
import { ndjsonFormat } from "./ndjson.ts";
import { Pseudonyms } from "./pseudonyms.ts";
import { Redactor } from "./redact.ts";
import { type Between, within } from "./select.ts";
import { vegetaFormat } from "./vegeta.ts";

/** Asked in this order; the first whose `matches` says yes reads the file. */
export const CAPTURE_FORMATS: readonly CaptureFormat[] = [
  ndjsonFormat,
  albFormat,
  combinedFormat,
  cloudfrontFormat,
  harFormat,
  gorFormat,
  apiGatewayFormat,
  vegetaFormat,
];

export interface CaptureInput {
  /** A file, plain or gzip, or a folder of them (read in natural order of their names). */
  readonly file: string;
  /** Places requests within coarse stamps, and is the redaction key when none is given. */
  readonly rng: Rng;
  /** Name of a format; found from the text when left out. */
  readonly format?: string;
  readonly between?: Between;
  /** Only the busiest stretch of this length. */
  readonly busiestUs?: number;
  /** Secret for pseudonyms. Without it they are only as secret as the seed. */
  readonly key?: string;
}

export interface Imported {
  /** Ordered by start. */
  readonly records: CaptureRecord[];
  readonly fidelity: Fidelity;
}

/** @throws GatecrashError `input` when the file cannot be read or its format is not known. */
export async function importCapture(input: CaptureInput): Promise<Imported> {
  const files = await filesOf(input.file);
  const pseudonyms = new Pseudonyms(input.key ?? keyFrom(input.rng.fork("redaction")));
  const collector = new Collector(new Redactor(pseudonyms), pseudonyms);
  let format: CaptureFormat | undefined;
  for (const file of files) {
    const opened = await openCapture(file);
    const found = formatOf(opened.head, file, input.format);
    if (format !== undefined && format !== found)
      throw new GatecrashError("input", `${format.name} and ${found.name} in one folder`, {
        hint: "import them one by one",
        place: { file },
      });
    format = found;
    collector.startFile(basename(file));
    await found.read(opened.chunks, collector);
  }
  if (format === undefined)
    throw new GatecrashError("input", "no files in the folder", { place: { file: input.file } });
  const records = selected(collector.placed(input.rng.fork("spread")), input, collector);
  return { records, fidelity: fidelityOf(format, files, records, collector) };
}

function selected(
  all: CaptureRecord[],
  { between, busiestUs }: CaptureInput,
  collector: Collector,
): CaptureRecord[] {
  let records = all;
  const keep = (window: Between | null, reason: string): void => {
    const kept = window === null ? [] : within(records, window);
    const inside = new Set(kept);
    const first = records.find((one) => !inside.has(one));
    const left = records.length - kept.length;
    if (left > 0) collector.skipMore(reason, left, first?.source.line ?? 0);
    records = kept;
  };
  if (between !== undefined) keep(between, "outside --between");
  if (busiestUs !== undefined) keep(busiestSpan(records, busiestUs), "outside the busiest window");
  return records;
}

function fidelityOf(
  format: CaptureFormat,
  files: readonly string[],
  records: readonly CaptureRecord[],
  collector: Collector,
): Fidelity {
  const { methods, bodies, meaning, precisionUs } = census(records);
  const spread = precisionUs >= US_PER_S;
  const spaces = records.filter((one) => one.path.includes(" ")).length;
  return {
    format: format.name,
    files: files.map((file) => basename(file)),
    unit: format.unit,
    read: collector.read,
    replayable: records.length,
    skipped: collector.skipped,
    methods,
    timing: {
      meaning,
      precisionUs,
      fromUs: meaning === "none" ? null : (records[0]?.t_start_us ?? null),
      toUs: meaning === "none" ? null : (records.at(-1)?.t_start_us ?? null),
      outOfOrder: collector.outOfOrder,
      peakPer100ms: busiestSpan(records, 100 * US_PER_MS)?.count ?? 0,
      spread,
    },
    bodies,
    redactions: collector.redactions,
    notes: [
      ...(spread ? ["requests that share a second are spread over it by the seed"] : []),
      ...(spaces > 0 ? [`${spaces} with a raw space in the URL, which is sent as %20`] : []),
      ...format.notes,
    ],
  };
}

function formatOf(head: string, file: string, asked: string | undefined): CaptureFormat {
  const names = CAPTURE_FORMATS.map((one) => one.name).join(", ");
  const found =
    asked === undefined
      ? CAPTURE_FORMATS.find((one) => one.matches(head))
      : CAPTURE_FORMATS.find((one) => one.name === asked);
  if (found !== undefined) return found;
  if (head === "") throw new GatecrashError("input", "the capture is empty", { place: { file } });
  const what = asked === undefined ? "is in no format that is known" : `: no format "${asked}"`;
  throw new GatecrashError("input", `the capture ${what}`, {
    hint: `formats: ${names}`,
    place: { file },
  });
}

async function filesOf(file: string): Promise<string[]> {
  const kind = await stat(file).catch((cause: unknown) => {
    throw new GatecrashError("input", "no such capture", { place: { file }, cause });
  });
  if (!kind.isDirectory()) return [file];
  const entries = await readdir(file, { withFileTypes: true });
  const names = entries.filter((one) => one.isFile() && !one.name.startsWith("."));
  return names
    .map((one) => one.name)
    .sort((a, b) => a.localeCompare(b, "en", { numeric: true }))
    .map((name) => join(file, name));
}

function keyFrom(rng: Rng): string {
  return Array.from({ length: 8 }, () => rng.next().toString(36)).join("");
}
