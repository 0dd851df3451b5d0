// A receiver of webhooks on loopback: keeps what came, and answers as it is told to.
import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";

export interface Received {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  readonly body: { readonly [member: string]: unknown };
}

export interface WebhookServer extends AsyncDisposable {
  readonly url: string;
  readonly received: readonly Received[];
  /** Status of the answers from now on; null = none is given. */
  answer(status: number | null): void;
}

export async function webhookServer(): Promise<WebhookServer> {
  const received: Received[] = [];
  let status: number | null = 200;
  const server = createServer(async (request, response) => {
    let text = "";
    for await (const chunk of request) text += chunk;
    const { url: path = "", headers } = request;
    received.push({ path, headers, text, body: JSON.parse(text) });
    if (status !== null) response.writeHead(status, { location: "/elsewhere" }).end("ok");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received,
    answer(next) {
      status = next;
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
