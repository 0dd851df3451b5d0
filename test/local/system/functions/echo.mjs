// Answers what it is asked: waits, throws, prints, or returns its event and greeting.
export async function handler(event, context) {
  if (event.say) console.log(event.say);
  if (event.waitMs) await new Promise((resolve) => setTimeout(resolve, event.waitMs));
  if (event.fail) throw new TypeError(event.fail);
  if (event.exit) process.exit(1);
  if (event.bytes) return "x".repeat(event.bytes);
  if (event.nothing) return undefined;
  const { GREETING, API_URL, AWS_ENDPOINT_URL } = process.env;
  return { event, GREETING, API_URL, AWS_ENDPOINT_URL, requestId: context.awsRequestId };
}
