// Requests to the object store as a client signs them, with any path and header that a test wants.
import * as http from "node:http";
import { requestSigner } from "../../../src/aws/sigv4.ts";

const credentials = async () => ({ accessKeyId: "AKID", secretAccessKey: "secret" });
const sign = requestSigner({ service: "s3", region: "eu-west-1", credentials, plainPath: true });

export interface Answered {
  readonly status: number;
  readonly headers: http.IncomingHttpHeaders;
  readonly text: string;
}

/** The path goes out as it is: no client in between makes it nicer. */
export async function call(
  endpoint: string,
  request: string,
  body = "",
  more: { readonly [name: string]: string } = {},
): Promise<Answered> {
  const [method = "", path = ""] = request.split(" ");
  const { host, hostname, port } = new URL(endpoint);
  const [bare = "", search = ""] = path.split("?");
  const query = Object.fromEntries(new URLSearchParams(search));
  const unsigned = { method, path: bare, query, host, headers: {}, body: Buffer.from(body) };
  const signed = Object.fromEntries(await sign(unsigned, 1_800_000_000_000));
  const headers = { ...signed, ...more };
  return new Promise((resolve, reject) => {
    const sent = http.request({ host: hostname, port, method, path, headers }, (answer) => {
      let text = "";
      answer.setEncoding("utf8").on("data", (part: string) => {
        text += part;
      });
      answer.on("end", () =>
        resolve({ status: answer.statusCode ?? 0, headers: answer.headers, text }),
      );
    });
    sent.on("error", reject);
    sent.end(body);
  });
}
