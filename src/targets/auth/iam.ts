// Signature Version 4 for fronts with IAM authorization; each request is signed as it is sent.
import { type Credentials, NoCredentials, requestSigner } from "../../aws/sigv4.ts";
import type { Authorizer } from "./authorizer.ts";

export interface IamOptions {
  readonly service: "execute-api" | "lambda";
  readonly region: string;
  readonly credentials: () => Promise<Credentials>;
  readonly nowMs: () => number;
}

const EMPTY = new Uint8Array();

export function iamAuthorizer({ nowMs, ...options }: IamOptions): Authorizer {
  const sign = requestSigner(options);
  return {
    names: ["authorization", "x-amz-date", "x-amz-security-token", "x-amz-content-sha256"],
    async headersFor({ method, path, host, body }) {
      try {
        const request = { method, path, host, headers: {}, body: body ?? EMPTY };
        const signed = await sign(request, nowMs());
        return signed.filter(([name]) => name !== "content-length");
      } catch (error) {
        if (error instanceof NoCredentials) return null;
        throw error;
      }
    },
  };
}
