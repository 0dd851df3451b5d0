// A webhook: one POST of JSON, signed if the scenario says so; redirects are not followed.
import { createHmac } from "node:crypto";
import { type ClientRequest, request as httpRequest } from "node:http";
import { type Agent, request as httpsRequest } from "node:https";
import type { Notice, NoticeKind } from "../core/notice.ts";
import { type NotifySink, NotSent } from "./sink.ts";
import { bodyOf } from "./words.ts";

export interface WebhookOptions {
  readonly name: string;
  readonly on: readonly NoticeKind[];
  /** With its secrets filled in: never printed, never recorded. */
  readonly url: URL;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly secret: string | null;
  /** A tunnel through HTTPS_PROXY; null = directly. */
  readonly agent: Agent | null;
  /** Wall time, ms since 1970. */
  readonly wallMs: () => number;
}

/** What of an answer is read before it is let go. */
const ANSWER_BYTES_MAX = 65_536;

export function webhookSink(options: WebhookOptions): NotifySink {
  const { name, on } = options;
  return {
    ...{ name, on, kind: "webhook" },
    async send(notice, delivery, signal) {
      const status = await post(options, notice, delivery, signal);
      if (status >= 200 && status < 300) return;
      // 408, 425, 429: the same request may be welcome later.
      const isFinal = status < 500 && ![408, 425, 429].includes(status);
      const where = status >= 300 && status < 400 ? " (redirects are not followed)" : "";
      throw new NotSent(`HTTP ${status}${where}`, isFinal);
    },
  };
}

/** `v1=` and the hex HMAC-SHA256 of `<timestamp>.<body>`. */
export function signatureOf(secret: string, timestamp: string, body: string): string {
  return `v1=${createHmac("sha256", secret).update(`${timestamp}.${body}`).digest("hex")}`;
}

function post(
  { url, headers, secret, agent, wallMs }: WebhookOptions,
  notice: Notice,
  delivery: string,
  signal: AbortSignal,
): Promise<number> {
  const body = JSON.stringify(bodyOf(notice, false));
  const timestamp = String(Math.floor(wallMs() / 1_000));
  const signature = secret === null ? {} : { [SIGNATURE]: signatureOf(secret, timestamp, body) };
  const options = {
    method: "POST",
    headers: {
      ...Object.fromEntries(headers),
      "content-type": "application/json",
      "content-length": String(Buffer.byteLength(body)),
      "user-agent": "gatecrash",
      "gatecrash-delivery": delivery,
      "gatecrash-timestamp": timestamp,
      ...signature,
    },
    signal,
  };
  return new Promise((resolve, reject) => {
    const sent: ClientRequest =
      url.protocol === "https:"
        ? httpsRequest(url, { ...options, ...TLS, ...(agent === null ? {} : { agent }) })
        : httpRequest(url, options);
    sent.on("error", (error: NodeJS.ErrnoException) => {
      reject(new NotSent(signal.aborted ? "no answer in time" : (error.code ?? error.name), false));
    });
    sent.on("response", (answer) => {
      let readBytes = 0;
      answer.on("data", (chunk: Buffer) => {
        readBytes += chunk.length;
        if (readBytes > ANSWER_BYTES_MAX) answer.destroy();
      });
      answer.on("error", () => {}); // the status is all that counts, and it is here
      answer.on("close", () => resolve(answer.statusCode ?? 0));
    });
    sent.end(body);
  });
}

const SIGNATURE = "gatecrash-signature";
/** As on the load path: always verified, never below 1.2, whatever the environment says. */
const TLS = { minVersion: "TLSv1.2", rejectUnauthorized: true } as const;
