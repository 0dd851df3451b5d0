// Reads an order out of an HTTP API event (payload format 2.0).

const TEXT_MAX = 64;
const ITEMS_MAX = 100;

const isText = (value) => typeof value === "string" && value.length > 0 && value.length <= TEXT_MAX;
const isCount = (value) => Number.isSafeInteger(value) && value > 0;

function isItem(item) {
  return isText(item?.sku) && isCount(item.quantity) && isCount(item.cents);
}

/** The order, or null when the body is none: not JSON, a field missing, a total that is not the sum. */
export function readOrder(event) {
  const order = parse(event.isBase64Encoded ? fromBase64(event.body) : event.body);
  if (!isCount(order?.tenant) || !isText(order.orderId) || !isText(order.currency)) return null;
  const { items } = order;
  if (!Array.isArray(items) || items.length === 0 || items.length > ITEMS_MAX) return null;
  if (!items.every(isItem)) return null;
  const cents = items.reduce((sum, item) => sum + item.quantity * item.cents, 0);
  return cents === order.cents ? order : null;
}

function fromBase64(text) {
  return Buffer.from(text ?? "", "base64").toString("utf8");
}

function parse(text) {
  try {
    return JSON.parse(text ?? "");
  } catch {
    return null;
  }
}

/** An answer for the HTTP API. */
export function answer(statusCode, body, headers = {}) {
  return {
    statusCode,
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify(body),
  };
}
