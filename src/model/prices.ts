// List prices, each with its source and date: what a test or a month would cost before discounts.

export interface Price {
  /** US dollars for one unit. */
  readonly usd: number;
  readonly unit: string;
  /** Where the figure was read. */
  readonly source: string;
  /** Day on which the source says so, or its year where it gives no day. */
  readonly date: string;
}

/** The region all prices are of. */
export const PRICE_REGION = "us-east-1";

const price = (usd: number, unit: string, source: string, date: string): Price => {
  return { usd, unit, source, date };
};

const PAGE = "AWS's price page";
const CHECKED = "AWS's price list, as checked in a public repository";
const REPOSITORIES = "public repositories that agree";

/**
 * First tiers, without free tiers, savings plans or taxes. AWS's price pages are rendered by a
 * script, so these are dated transcriptions: compare before deciding anything by them.
 */
export const PRICES = {
  lambdaRequest: price(0.2e-6, "request", PAGE, "2026-09-20"),
  lambdaGbSecond: price(0.0000166667, "GB-s, x86", CHECKED, "2026-05-04"),
  provisionedGbSecond: price(0.0000041667, "GB-s reserved, x86", CHECKED, "2026-07-31"),
  httpApiRequest: price(1e-6, "request of 512 KB", PAGE, "2026-09-20"),
  kinesisShardHour: price(0.015, "shard-hour", REPOSITORIES, "2026"),
  kinesisPutUnit: price(0.014e-6, "PUT unit of 25 KB", REPOSITORIES, "2026"),
  kinesisOnDemandInGb: price(0.08, "GB in", REPOSITORIES, "2026"),
  kinesisOnDemandOutGb: price(0.04, "GB out", REPOSITORIES, "2026"),
  firehoseGb: price(0.029, "GB in steps of 5 KB", REPOSITORIES, "2026"),
  dynamoWriteUnit: price(0.625e-6, "write request unit", REPOSITORIES, "2026-08-12"),
  sqsRequest: price(0.4e-6, "request", REPOSITORIES, "2026"),
  logsGb: price(0.5, "GB ingested", REPOSITORIES, "2026"),
  traceRecorded: price(5e-6, "trace", REPOSITORIES, "2026"),
  dataOutGb: price(0.09, "GB to the internet", REPOSITORIES, "2026"),
  scheduledInvocation: price(1e-6, "invocation by Scheduler", REPOSITORIES, "2026"),
  metricRequested: price(0.01e-3, "metric asked of GetMetricData", REPOSITORIES, "2026"),
} as const satisfies { readonly [item: string]: Price };
