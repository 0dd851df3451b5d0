// The operations on tables that dynalite carries out.

/** All operations that dynalite has. */
export const TABLE_OPERATIONS = [
  "BatchGetItem",
  "BatchWriteItem",
  "CreateTable",
  "DeleteItem",
  "DeleteTable",
  "DescribeTable",
  "DescribeTimeToLive",
  "GetItem",
  "ListTables",
  "ListTagsOfResource",
  "PutItem",
  "Query",
  "Scan",
  "TagResource",
  "UntagResource",
  "UpdateItem",
  "UpdateTable",
] as const;
export type TableOperation = (typeof TABLE_OPERATIONS)[number];
