// Takes orders also when checkout cannot: asks it once, and otherwise accepts the order for later.
import { InvokeCommand, LambdaClient } from "@aws-sdk/client-lambda";
import { answer, readOrder } from "./order.mjs";

/** Longer than this no customer is kept waiting for checkout. */
const CHECKOUT_MS_MAX = 1_000;

// One attempt: a resend inside would only add load to a function that is refusing it already.
const lambda = new LambdaClient({ maxAttempts: 1 });

export const handler = async (event) => {
  if (event.gatecrash === "probe") return { probe: true };
  const order = readOrder(event);
  if (order === null) return answer(400, { message: "this is not an order" });
  const signal = AbortSignal.timeout(CHECKOUT_MS_MAX);
  try {
    return await askCheckout(event, signal);
  } catch (failure) {
    if (failure.name !== "TooManyRequestsException" && !signal.aborted) throw failure;
    return acceptForLater(order, signal.aborted ? "slow" : "refused");
  }
};

async function askCheckout(event, abortSignal) {
  const command = new InvokeCommand({
    FunctionName: process.env.CHECKOUT_FUNCTION,
    Payload: JSON.stringify(event),
  });
  const { FunctionError, Payload } = await lambda.send(command, { abortSignal });
  const text = Buffer.from(Payload).toString("utf8");
  if (FunctionError !== undefined) throw new Error(`checkout failed: ${text}`);
  return JSON.parse(text);
}

/**
 * The order is safe once it is in the log; whoever drains it must look at orderId, because a slow
 * checkout may still confirm the same order.
 */
function acceptForLater(order, why) {
  console.log(JSON.stringify({ acceptedForLater: why, order }));
  return answer(202, { orderId: order.orderId, status: "accepted" }, { "x-degraded": "1" });
}
