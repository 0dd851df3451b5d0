// A self-signed certificate, made for the test that needs it: nothing secret lies in the
// repository.
import { generateKeyPairSync, sign } from "node:crypto";

export interface Identity {
  readonly key: string;
  readonly cert: string;
}

const SEQUENCE = 0x30;
const SET = 0x31;
const ECDSA_WITH_SHA256 = oid([0x2a, 0x86, 0x48, 0xce, 0x3d, 0x04, 0x03, 0x02]);
const COMMON_NAME = oid([0x55, 0x04, 0x03]);
const SUBJECT_ALT_NAME = oid([0x55, 0x1d, 0x11]);
const BASIC_CONSTRAINTS = oid([0x55, 0x1d, 0x13]);

/** Valid from 2020 to 2049 (X.509's two-digit years), for one DNS name and for 127.0.0.1. */
export function selfSigned(dnsName: string): Identity {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const name = der(SEQUENCE, der(SET, der(SEQUENCE, COMMON_NAME, der(0x0c, Buffer.from(dnsName)))));
  const validity = der(SEQUENCE, utcTime("200101000000Z"), utcTime("491231235959Z"));
  const names = der(
    SEQUENCE,
    der(0x82, Buffer.from(dnsName)),
    der(0x87, Buffer.from([127, 0, 0, 1])),
  );
  const constraints = der(SEQUENCE, der(0x01, Buffer.from([0xff]))); // an authority of its own
  const extensions = der(
    SEQUENCE,
    der(SEQUENCE, SUBJECT_ALT_NAME, der(0x04, names)),
    der(SEQUENCE, BASIC_CONSTRAINTS, der(0x04, constraints)),
  );
  const algorithm = der(SEQUENCE, ECDSA_WITH_SHA256);
  const body = der(
    SEQUENCE,
    der(0xa0, der(0x02, Buffer.from([2]))), // version 3
    der(0x02, Buffer.from([1])), // serial number
    algorithm,
    name,
    validity,
    name,
    publicKey.export({ type: "spki", format: "der" }),
    der(0xa3, extensions),
  );
  const signature = Buffer.concat([Buffer.from([0]), sign("sha256", body, privateKey)]);
  const certificate = der(SEQUENCE, body, algorithm, der(0x03, signature));
  const base64 = certificate.toString("base64").replace(/.{64}/g, "$&\n");
  return {
    key: privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
    cert: `-----BEGIN CERTIFICATE-----\n${base64}\n-----END CERTIFICATE-----\n`,
  };
}

function der(tag: number, ...parts: Buffer[]): Buffer {
  const content = Buffer.concat(parts);
  const { length } = content;
  const size =
    length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 255];
  return Buffer.concat([Buffer.from([tag, ...size]), content]);
}

function oid(bytes: number[]): Buffer {
  return der(0x06, Buffer.from(bytes));
}

function utcTime(text: string): Buffer {
  return der(0x17, Buffer.from(text));
}
