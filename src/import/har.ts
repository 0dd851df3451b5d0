// HTTP Archives (HAR 1.2) as browsers and proxies write them, with the shapes that each adds.
import type { BodyState } from "../core/capture.ts";
import { isMutating } from "../core/capture.ts";
import { GatecrashError } from "../core/error.ts";
import type { CaptureFormat, Draft } from "./format.ts";
import { type Fields, isFields, isText, parseJson } from "./json.ts";
import { parseTarget } from "./request-line.ts";
import { parseIsoUs } from "./stamps.ts";

export const harFormat: CaptureFormat = {
  name: "har",
  unit: "entries",
  matches: (head) => /^\s*\{\s*"log"\s*:\s*\{/.test(head),
  async read(chunks, sink) {
    const parts: Buffer[] = [];
    for await (const chunk of chunks) parts.push(chunk);
    const archive = parseJson(Buffer.concat(parts).toString("utf8"));
    const log = isFields(archive) ? archive.log : undefined;
    const entries = isFields(log) ? log.entries : undefined;
    if (!Array.isArray(entries))
      throw new GatecrashError("input", "the HAR file is no JSON or has no log.entries", {
        hint: "a recording that was interrupted may be cut off",
      });
    entries.forEach((entry: unknown, i) => {
      const draft = isFields(entry) ? draftOf(entry) : "not an object";
      if (typeof draft === "string") sink.skip(draft, i + 1);
      else sink.record(draft, i + 1);
    });
  },
  notes: ["one browser waits for its answers: replayed as open arrivals this is other traffic"],
};

function draftOf(entry: Fields): Draft | string {
  const { request, response, startedDateTime } = entry;
  if (!isFields(request)) return "no request";
  const { method, url } = request;
  if (!isText(method) || !isText(url)) return "no method or no URL";
  if (!/^https?:/i.test(url)) return "not an HTTP URL (data:, blob:, ws:, …)";
  if (isFromCache(entry)) return "answered from the browser's cache";
  // A browser never sends the fragment, whatever its recorder wrote down.
  const target = parseTarget(method, url.replace(/#.*$/, ""));
  if ("skip" in target) return target.skip;
  const startUs = isText(startedDateTime) ? parseIsoUs(startedDateTime) : null;
  if (startUs === null) return "no startedDateTime";
  const headers = headersOf(request.headers);
  return {
    t_start_us: startUs,
    t_precision_us: 1_000,
    t_meaning: "start",
    id: isText(entry._requestId) ? entry._requestId : null,
    client: [entry.connection, entry.pageref].find(isText) ?? null,
    method,
    scheme: target.scheme,
    host: target.host,
    path: target.path,
    headers,
    ...bodyOf(method, request, headers),
    recorded: recordedOf(response, entry.time),
    minusUs: 0,
  };
}

const isFromCache = (entry: Fields): boolean =>
  isText(entry._fromCache) || (isFields(entry.response) && entry.response._fromDiskCache === true);

/** `{name, value}` by the standard, `[name, value]` by some; `:authority` is no header. */
function headersOf(value: unknown): [string, string][] {
  if (!Array.isArray(value)) return [];
  const pairs: [string, string][] = [];
  for (const item of value) {
    const [name, text] = isFields(item)
      ? [item.name, item.value]
      : Array.isArray(item)
        ? [item[0] as unknown, item[1] as unknown]
        : [];
    if (isText(name) && isText(text) && !name.startsWith(":") && name !== "")
      pairs.push([name.toLowerCase(), text]);
  }
  return pairs;
}

type Body = Pick<Draft, "body_b64" | "body_state">;
const body = (bytes: Buffer, body_state: BodyState): Body => ({
  body_b64: bytes.toString("base64"),
  body_state,
});

/** Requests have no body encoding in HAR 1.2: what is not text has lost bytes. */
function bodyOf(method: string, request: Fields, headers: Draft["headers"]): Body {
  const { postData } = request;
  if (isFields(postData)) {
    const { text, params, encoding, mimeType } = postData;
    if (isText(text) && text !== "") {
      if (encoding === "base64") return body(Buffer.from(text, "base64"), "present");
      const isPlain = isText(mimeType) && /json|text|xml|javascript|urlencoded/i.test(mimeType);
      return body(Buffer.from(text, "utf8"), isPlain ? "present" : "lossy");
    }
    if (Array.isArray(params) && params.length > 0) return formOf(params, mimeType);
  }
  const length = headers.find(([name]) => name === "content-length")?.[1];
  const sizeBytes = Number(length ?? request.bodySize ?? -1);
  const none = sizeBytes === 0 || (!isMutating(method) && !(sizeBytes > 0));
  return { body_b64: null, body_state: none ? "none" : "absent" };
}

/** A form can be written again from its fields; a multipart body's boundaries and files cannot. */
function formOf(params: readonly unknown[], mimeType: unknown): Body {
  if (!isText(mimeType) || !/urlencoded/i.test(mimeType))
    return { body_b64: null, body_state: "absent" };
  const form = new URLSearchParams();
  for (const param of params)
    if (isFields(param) && isText(param.name)) form.append(param.name, String(param.value ?? ""));
  return body(Buffer.from(form.toString(), "utf8"), "lossy");
}

function recordedOf(response: unknown, time: unknown): Draft["recorded"] {
  if (!isFields(response)) return null;
  const status = Number(response.status);
  const sizeBytes = Number(response.bodySize);
  return {
    status: status > 0 ? status : null,
    latency_us: typeof time === "number" && time >= 0 ? Math.round(time * 1_000) : null,
    bytes: sizeBytes >= 0 ? sizeBytes : null,
  };
}
