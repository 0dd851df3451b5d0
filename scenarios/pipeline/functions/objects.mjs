// Writes an object to S3: one signed request (Signature Version 4), path-style, by the runtime's own
// credentials.
import { createHash, createHmac } from "node:crypto";

const { AWS_REGION, AWS_ENDPOINT_URL } = process.env;

const sha256 = (text) => createHash("sha256").update(text).digest("hex");
const hmac = (key, text) => createHmac("sha256", key).update(text).digest();
const encoded = (text) =>
  encodeURIComponent(text).replace(
    /[!'()*]/g,
    (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`,
  );

/** Rejects with what the store answered. */
export async function putObject(bucket, key, body) {
  const base = new URL(AWS_ENDPOINT_URL ?? `https://s3.${AWS_REGION}.amazonaws.com`);
  const path = `/${bucket}/${key.split("/").map(encoded).join("/")}`;
  const headers = signed({ method: "PUT", host: base.host, path, body });
  const answer = await fetch(new URL(path, base), { method: "PUT", headers, body });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`PUT ${path}: ${answer.status} ${text.slice(0, 200)}`);
}

function signed({ method, host, path, body }) {
  const { AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN } = process.env;
  const at = new Date().toISOString().replace(/[-:]|\.\d+/g, "");
  const day = at.slice(0, 8);
  const hash = sha256(body);
  const headers = {
    host,
    "x-amz-content-sha256": hash,
    "x-amz-date": at,
    ...(AWS_SESSION_TOKEN === undefined ? {} : { "x-amz-security-token": AWS_SESSION_TOKEN }),
  };
  const names = Object.keys(headers).sort();
  const lines = names.map((name) => `${name}:${headers[name]}\n`).join("");
  const request = [method, path, "", lines, names.join(";"), hash].join("\n");
  const scope = `${day}/${AWS_REGION}/s3/aws4_request`;
  const text = ["AWS4-HMAC-SHA256", at, scope, sha256(request)].join("\n");
  const parts = [day, AWS_REGION, "s3", "aws4_request"];
  const key = parts.reduce((secret, part) => hmac(secret, part), `AWS4${AWS_SECRET_ACCESS_KEY}`);
  const credential = `Credential=${AWS_ACCESS_KEY_ID}/${scope}`;
  const signature = hmac(key, text).toString("hex");
  const { host: _host, ...sent } = headers; // fetch sets it
  return {
    ...sent,
    authorization: `AWS4-HMAC-SHA256 ${credential}, SignedHeaders=${names.join(";")}, Signature=${signature}`,
  };
}
