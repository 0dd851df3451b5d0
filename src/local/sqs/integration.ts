// SendMessage as an HTTP API's service integration calls it: the Query API's XML, also for errors.
import { randomUUID } from "node:crypto";
import { AwsError } from "../aws-error.ts";
import { queryAnswer, queryError } from "../wire/aws-query.ts";
import type { WireAnswer } from "../wire/request.ts";
import type { World } from "../world.ts";
import { SQS_NAMESPACE } from "./query.ts";
import { sendMessage } from "./send-message.ts";

export type ServiceCall = (parameters: { readonly [name: string]: string }) => WireAnswer;

/** `touched` is called for each message. Never throws what SQS refuses: that is its answer. */
export function sendMessageFor(world: World, touched: () => void): ServiceCall {
  return (parameters) => {
    touched();
    const requestId = randomUUID();
    try {
      const output = sendMessage(world, inputOf(parameters)) as { readonly [name: string]: string };
      return queryAnswer("SendMessage", SQS_NAMESPACE, output, requestId);
    } catch (thrown) {
      if (!(thrown instanceof AwsError)) throw thrown;
      return queryError(thrown, SQS_NAMESPACE, requestId);
    }
  };
}

/** Attributes come as JSON text, the delay as digits. */
function inputOf(parameters: { readonly [name: string]: string }) {
  const input: { [name: string]: unknown } = {};
  for (const [name, value] of Object.entries(parameters))
    input[name] = name === "DelaySeconds" || name.endsWith("Attributes") ? parsed(value) : value;
  return input;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
