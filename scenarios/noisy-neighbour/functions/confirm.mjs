// checkout-confirm: checks the cart, has it paid, writes the order; 0.4 to 0.5 s.
import { answer, bodyOf, work } from "./answer.mjs";

const PAYMENT_MS = [400, 500];

export const handler = async (event) => {
  // Gatecrash asks this way whether invokes are let in. It must cost nothing and do nothing.
  if (event.gatecrash === "probe") return { probe: true };
  const cart = bodyOf(event);
  if (typeof cart?.cartId !== "string" || !Array.isArray(cart.items) || cart.items.length === 0)
    return answer(400, { message: "this is not a cart" });
  await work(cart.cartId, ...PAYMENT_MS);
  return answer(201, { cartId: cart.cartId, status: "confirmed" });
};
