// A bare HTTP server on loopback that answers what a test tells it to, and keeps what it was asked.
import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";

export interface Asked {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

export interface Told {
  readonly status: number;
  readonly headers?: { readonly [name: string]: string };
  readonly body: string;
}

export interface AwsAnswers extends AsyncDisposable {
  readonly endpoint: string;
  readonly asked: Asked[];
}

/** `answer` returning null leaves the request without one. */
export async function awsAnswers(answer: (asked: Asked) => Told | null): Promise<AwsAnswers> {
  const asked: Asked[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const { method = "", url: path = "", headers } = request;
      const one = { method, path, headers, body: Buffer.concat(chunks).toString("utf8") };
      asked.push(one);
      const told = answer(one);
      if (told === null) return;
      response.writeHead(told.status, { "content-type": "application/json", ...told.headers });
      response.end(told.body);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    endpoint: `http://127.0.0.1:${port}`,
    asked,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
