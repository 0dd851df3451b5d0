// The answer of a dependency that fails, in the shape that its clients read.
import type { IncomingMessage, ServerResponse } from "node:http";

const MESSAGE = "this dependency fails on purpose";

/** AWS's own errors for a service that names its operation; plain JSON for anything else. */
export function errorAnswer(req: IncomingMessage, res: ServerResponse, status: number): void {
  const isAws = req.headers["x-amz-target"] !== undefined;
  const type = isAws ? (req.headers["content-type"] ?? "") : "application/json";
  const body = isAws ? { __type: nameOf(status), message: MESSAGE } : { message: MESSAGE };
  res.writeHead(status, { "content-type": type });
  res.end(JSON.stringify(body));
}

function nameOf(status: number): string {
  if (status === 400 || status === 429) return "ThrottlingException";
  return status === 503 ? "ServiceUnavailable" : "InternalServerError";
}
