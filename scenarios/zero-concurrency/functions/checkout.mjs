// Confirms an order once the payment provider has answered, which takes 20 to 40 ms.
import { createHash } from "node:crypto";
import { setTimeout as wait } from "node:timers/promises";
import { answer, readOrder } from "./order.mjs";

const PAYMENT_MS_MIN = 20;
const PAYMENT_MS_SPREAD = 20;

/** How long the provider takes for this order; the same order always takes the same time. */
function paymentMs(orderId) {
  const share = createHash("sha256").update(orderId).digest().readUInt32BE(0) / 2 ** 32;
  return PAYMENT_MS_MIN + PAYMENT_MS_SPREAD * share;
}

export const handler = async (event) => {
  // Gatecrash asks this way whether invokes are let in. It must cost nothing and do nothing.
  if (event.gatecrash === "probe") return { probe: true };
  const order = readOrder(event);
  if (order === null) return answer(400, { message: "this is not an order" });
  await wait(paymentMs(order.orderId));
  return answer(201, { orderId: order.orderId, status: "confirmed", cents: order.cents });
};
