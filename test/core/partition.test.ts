// What differs by region: the partition of an ARN, and where a queue's URL is.
import { expect, test } from "vitest";
import { partitionOf, queueUrlOf } from "../../src/core/partition.ts";

test.each([
  ["eu-west-1", "aws", "amazonaws.com"],
  ["cn-north-1", "aws-cn", "amazonaws.com.cn"],
  ["us-gov-west-1", "aws-us-gov", "amazonaws.com"],
])("%s is of partition %s, its queues under %s", (region, partition, suffix) => {
  expect(partitionOf(region)).toBe(partition);
  expect(queueUrlOf(`arn:${partition}:sqs:${region}:222222222222:orders.fifo`)).toBe(
    `https://sqs.${region}.${suffix}/222222222222/orders.fifo`,
  );
});

test.each([
  "https://sqs.eu-west-1.amazonaws.com/222222222222/orders",
  "arn:aws:sns:eu-west-1:222222222222:orders",
  "arn:aws:sqs:eu-west-1:222222222222:orders:more",
  "arn:aws:sqs:eu-west-1:22:orders",
])("%s is no queue's ARN", (text) => expect(queueUrlOf(text)).toBe(null));
