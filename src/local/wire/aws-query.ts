// The Query protocol: a form with `Action` in, XML out.
import type { AwsError } from "../aws-error.ts";
import type { WireAnswer } from "./request.ts";
import type { Caller } from "./sigv4.ts";

export interface QueryCall {
  readonly form: URLSearchParams;
  readonly caller: Caller;
}

/** Flat text members only: all that the operations here need. */
export const queryAnswer = (
  action: string,
  namespace: string,
  output: { readonly [member: string]: string },
  requestId: string,
): WireAnswer => {
  const members = Object.entries(output).map(([name, text]) => element(name, escaped(text)));
  return xml(
    200,
    `<${action}Response xmlns="${namespace}">${element(`${action}Result`, members.join(""))}` +
      `${element("ResponseMetadata", element("RequestId", requestId))}</${action}Response>`,
    requestId,
  );
};

export const queryError = (error: AwsError, namespace: string, requestId: string): WireAnswer =>
  xml(
    error.status,
    `<ErrorResponse xmlns="${namespace}">` +
      element(
        "Error",
        element("Type", error.status >= 500 ? "Receiver" : "Sender") +
          element("Code", error.code.replace(/Exception$/, "")) +
          element("Message", escaped(error.message)),
      ) +
      `${element("RequestId", requestId)}</ErrorResponse>`,
    requestId,
  );

const element = (name: string, content: string): string => `<${name}>${content}</${name}>`;

const escaped = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");

const xml = (status: number, body: string, requestId: string): WireAnswer => ({
  status,
  headers: { "content-type": "text/xml", "x-amzn-requestid": requestId },
  body,
});
