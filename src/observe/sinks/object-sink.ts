// A sink in a bucket: every NDJSON or CSV object under a prefix, gzip or not.
import { gunzipSync } from "node:zlib";
import { AwsFailure } from "../../core/change.ts";
import { messageOf } from "../../core/error.ts";
import type { SinkSpec } from "../../core/scenario.ts";
import { type ReadRecords, type SinkPorts, textInput, unreadable } from "./sink-row.ts";
import { textRecords } from "./text-records.ts";

/** Of one object, unpacked. */
const TEXT_BYTES_MAX = 256 * 1_048_576;

const FORMATS: { readonly [ending: string]: "ndjson" | "csv" } = {
  csv: "csv",
  json: "ndjson",
  jsonl: "ndjson",
  ndjson: "ndjson",
};

/** Objects are read in the order of their keys; each is read whole. */
export const objectRecords: ReadRecords = async function* (spec, ports, signal) {
  for await (const key of keysOf(spec, ports, signal)) {
    signal.throwIfAborted();
    const format = formatOf(spec, key);
    const text = textOf(spec, key, await bodyOf(spec, key, ports));
    const once = (async function* () {
      yield text;
    })();
    try {
      yield* textRecords(format, once);
    } catch (cause) {
      throw unreadable(spec, `${key}: ${messageOf(cause)}`);
    }
  }
};

async function* keysOf(spec: SinkSpec, ports: SinkPorts, signal: AbortSignal) {
  const input = { Bucket: textInput(spec, "bucket"), Prefix: textInput(spec, "prefix") };
  let token: string | undefined;
  do {
    signal.throwIfAborted();
    const next = token === undefined ? {} : { ContinuationToken: token };
    const page = await called(spec, ports, "ListObjectsV2", { ...input, ...next });
    const { Contents = [], NextContinuationToken } = page as {
      Contents?: readonly { readonly Key: string }[];
      NextContinuationToken?: string;
    };
    for (const { Key } of Contents) if (!Key.endsWith("/")) yield Key;
    token = NextContinuationToken;
  } while (token !== undefined);
}

async function bodyOf(spec: SinkSpec, key: string, ports: SinkPorts): Promise<Buffer> {
  const input = { Bucket: textInput(spec, "bucket"), Key: key };
  return (await called(spec, ports, "GetObject", input)).Body as Buffer;
}

async function called(
  spec: SinkSpec,
  { control }: SinkPorts,
  action: "ListObjectsV2" | "GetObject",
  input: { readonly [member: string]: string },
) {
  if (control === null) throw unreadable(spec, "there is no AWS to ask");
  try {
    return await control.call("s3", action, input);
  } catch (cause) {
    if (!(cause instanceof AwsFailure)) throw cause;
    const hint =
      cause.name === "AccessDenied" ? "it needs s3:ListBucket and s3:GetObject" : undefined;
    throw unreadable(spec, `cannot read bucket ${input.Bucket}: ${cause.name}`, hint);
  }
}

function textOf(spec: SinkSpec, key: string, body: Buffer): Buffer {
  if (!key.endsWith(".gz")) return body;
  try {
    return gunzipSync(body, { maxOutputLength: TEXT_BYTES_MAX });
  } catch (cause) {
    throw unreadable(spec, `${key}: ${messageOf(cause)}`);
  }
}

function formatOf(spec: SinkSpec, key: string): "ndjson" | "csv" {
  const given = textInput(spec, "format");
  const ending = given === "" ? /\.([a-z]+)(\.gz)?$/.exec(key)?.[1] : given;
  const format = FORMATS[ending ?? ""];
  if (format !== undefined) return format;
  throw unreadable(spec, `${key} is of no known format`, "give `format:`, or a narrower `prefix:`");
}
