// Whose credentials the load path signs with: made-up ones on loopback, else the default chain's.
import { isLoopback } from "./endpoint.ts";
import type { Credentials } from "./sigv4.ts";

/** Never read by local AWS; a signature needs something. */
export const FAKE_CREDENTIALS: Credentials = {
  accessKeyId: "LOCALGATECRASH",
  secretAccessKey: "local-gatecrash-no-secret",
};

/** Cached, and renewed before they expire, by the SDK's own provider. */
export function loadCredentials(
  endpoint: string,
  region: string,
  profile?: string,
): () => Promise<Credentials> {
  if (isLoopback(endpoint)) return async () => FAKE_CREDENTIALS;
  const provider = import("@aws-sdk/client-kinesis").then(
    ({ KinesisClient }) =>
      new KinesisClient({ region, ...(profile === undefined ? {} : { profile }) }).config
        .credentials,
  );
  return async () => {
    const { accessKeyId, secretAccessKey, sessionToken } = await (await provider)();
    return {
      accessKeyId,
      secretAccessKey,
      ...(sessionToken === undefined ? {} : { sessionToken }),
    };
  };
}
