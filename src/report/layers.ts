// The layers that refuse, in plain words, and what to do when one turns the load itself away.
import type { Refuser } from "../core/outcome.ts";

export const LAYERS: { readonly [refuser in Exclude<Refuser, "">]: string } = {
  gateway: "the API front's own throttle: its stage's, a usage plan's or the account's",
  "gateway.quota": "the quota of a usage plan",
  "gateway.key": "the API front, for want of an API key of a usage plan",
  authorizer: "the authorizer of the API front",
  waf: "the web application firewall",
  cdn: "the content delivery network itself",
  edge: "an API key's check or a firewall, the answer does not say which",
  lambda: "Lambda, the reason not known",
  "lambda.reserved": "the function's reserved concurrency",
  "lambda.account": "the account's unreserved concurrency",
  "lambda.rate": "Lambda's rate of invocations or scaling",
  "kinesis.shard": "the throughput of a shard",
  sqs: "the queue",
  dependency: "something behind the function",
  application: "the application itself: it ran",
};

/** How our own load gets past an edge. */
export const WAYS_PAST: { readonly [edge in Refuser]?: string } = {
  waf: "let the run's addresses or its user agent pass, or judge it by `throttles.waf`",
  authorizer: "give the load what it wants: `auth:`",
  "gateway.key": "send a key of a usage plan: `auth:`",
  "gateway.quota": "use a key whose plan has enough left, or wait for its next period",
  cdn: "look at its restrictions of places and of signed URLs",
  edge: "an access log with $context.error.responseType says which of the two",
};
