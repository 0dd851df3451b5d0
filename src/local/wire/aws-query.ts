// The Query protocol: a form with `Action` in, XML out.
import type { AwsError } from "../aws-error.ts";
import type { WireAnswer } from "./request.ts";
import type { Caller } from "./sigv4.ts";

export interface QueryCall {
  readonly form: URLSearchParams;
  readonly caller: Caller;
}

/**
 * An answer as a tree: a list is its element repeated, so `{ A: { member: [x, y] } }` is a list
 * with
 * a wrapper and `{ A: [x, y] }` a flattened one. null = the operation has no result element.
 */
export type XmlTree = { readonly [element: string]: XmlValue };
export type XmlValue = string | number | boolean | XmlTree | readonly XmlValue[];

export const queryAnswer = (
  action: string,
  namespace: string,
  output: XmlTree | null,
  requestId: string,
): WireAnswer => {
  const result = output === null ? "" : element(`${action}Result`, elements(output));
  return xml(
    200,
    `<${action}Response xmlns="${namespace}">${result}` +
      `${element("ResponseMetadata", element("RequestId", requestId))}</${action}Response>`,
    requestId,
  );
};

/** A document of a service that answers in XML without the protocol's frame. */
export const xmlDocument = (root: string, namespace: string, tree: XmlTree): string =>
  `<${root} xmlns="${namespace}">${elements(tree)}</${root}>`;

const elements = (tree: XmlTree): string =>
  Object.entries(tree)
    .map(([name, value]) => rendered(name, value))
    .join("");

function rendered(name: string, value: XmlValue): string {
  if (Array.isArray(value)) return value.map((item) => rendered(name, item)).join("");
  if (typeof value === "object") return element(name, elements(value as XmlTree));
  return element(name, escaped(String(value)));
}

export const queryError = (error: AwsError, namespace: string, requestId: string): WireAnswer =>
  xml(
    error.status,
    `<ErrorResponse xmlns="${namespace}">` +
      element(
        "Error",
        element("Type", error.status >= 500 ? "Receiver" : "Sender") +
          element("Code", error.queryCode) +
          element("Message", escaped(error.message)),
      ) +
      `${element("RequestId", requestId)}</ErrorResponse>`,
    requestId,
  );

const element = (name: string, content: string): string => `<${name}>${content}</${name}>`;

/** A carriage return would be read as a line feed, and other controls are no XML at all. */
const escaped = (text: string): string =>
  text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll("\r", "&#xD;")
    .replaceAll(CONTROLS, "\uFFFD");

// biome-ignore lint/suspicious/noControlCharactersInRegex: exactly those are meant
const CONTROLS = /[\u0000-\u0008\u000B\u000C\u000E-\u001F\uFFFE\uFFFF]/g;

const xml = (status: number, body: string, requestId: string): WireAnswer => ({
  status,
  headers: { "content-type": "text/xml", "x-amzn-requestid": requestId },
  body,
});
