// Operations on whole queues: create, delete, purge, list, find, and their attributes.

import type { JsonInput } from "../wire/aws-json.ts";
import { pageStart } from "../wire/said.ts";
import { audit, type World } from "../world.ts";
import {
  badValue,
  invalidAttributeName,
  missingParameter,
  purgeInProgress,
  queueDoesNotExist,
  queueNameExists,
  unsupported,
} from "./errors.ts";
import { mapOf, namesOf, queueOf, textOf, wholeOf } from "./input.ts";
import type { Queue } from "./queue.ts";
import { attributesOf, DEFAULT_SETTINGS, withAttributes } from "./settings.ts";

const PURGE_EVERY_MS = 60_000;
const LIST_MAX = 1_000;

/** The same name with the same attributes gives the queue there is. */
export function createQueue(world: World, input: JsonInput): object {
  const name = textOf(input, "QueueName");
  if (!/^[\w-]{1,80}$/.test(name)) throw nameError(name);
  const attributes = mapOf(input, "Attributes");
  const settings = withAttributes(DEFAULT_SETTINGS, attributes);
  const existing = world.queues.get(name);
  if (existing === undefined) {
    audit(world, "CreateQueue", world.queues.create(name, settings).arn, attributes);
    return { QueueUrl: world.queues.url(name) };
  }
  const has = attributesOf(existing.settings);
  const wants = attributesOf(settings);
  const other = Object.keys(attributes).find((key) => has[key] !== wants[key]);
  if (other !== undefined) throw queueNameExists(other);
  return { QueueUrl: world.queues.url(name) };
}

const nameError = (name: string): Error =>
  /^[\w-]{1,75}\.fifo$/.test(name)
    ? unsupported("FIFO queues are not modelled by local AWS.")
    : badValue(
        name,
        "QueueName",
        "Can only include alphanumeric characters, hyphens, or underscores. 1 to 80 in length.",
      );

export function deleteQueue(world: World, input: JsonInput): object {
  const queue = queueOf(world, input);
  world.queues.delete(queue);
  audit(world, "DeleteQueue", queue.arn);
  return {};
}

export function purgeQueue(world: World, input: JsonInput): object {
  const queue = queueOf(world, input);
  const { epochMs } = world.queues.now();
  if (epochMs - queue.purgedEpochMs < PURGE_EVERY_MS) throw purgeInProgress(queue.name);
  queue.purgedEpochMs = epochMs;
  queue.purge();
  audit(world, "PurgeQueue", queue.arn);
  return {};
}

export function getQueueUrl(world: World, input: JsonInput): object {
  const name = textOf(input, "QueueName");
  const foreign = (input.QueueOwnerAWSAccountId ?? world.account) !== world.account;
  if (foreign || world.queues.get(name) === undefined) throw queueDoesNotExist();
  return { QueueUrl: world.queues.url(name) };
}

export function listQueues(world: World, input: JsonInput): object {
  const prefix = typeof input.QueueNamePrefix === "string" ? input.QueueNamePrefix : "";
  const urls = world.queues
    .all()
    .filter(({ name }) => name.startsWith(prefix))
    .map(({ name }) => world.queues.url(name));
  return paged(input, "QueueUrls", urls);
}

export function listDeadLetterSourceQueues(world: World, input: JsonInput): object {
  const { arn } = queueOf(world, input);
  const urls = world.queues
    .all()
    .filter(({ settings }) => settings.redrive?.deadLetterTargetArn === arn)
    .map(({ name }) => world.queues.url(name));
  return { queueUrls: [], ...paged(input, "queueUrls", urls) };
}

function paged(input: JsonInput, member: string, urls: string[]): object {
  const range = `MaxResults must be an integer between 1 and ${LIST_MAX}`;
  const asked = wholeOf(input, "MaxResults", [1, LIST_MAX], range);
  const start = pageStart(input.NextToken);
  const end = start + (asked ?? LIST_MAX);
  const page = urls.slice(start, end);
  return {
    ...(page.length === 0 ? {} : { [member]: page }),
    // Without MaxResults SQS gives the first thousand and no token.
    ...(asked !== undefined && end < urls.length ? { NextToken: String(end) } : {}),
  };
}

export function getQueueAttributes(world: World, input: JsonInput): object {
  const queue = queueOf(world, input);
  const wanted = namesOf(input, "AttributeNames");
  queue.advance(world.queues.now());
  const all = { ...readOnlyOf(queue), ...attributesOf(queue.settings) };
  const known = [...Object.keys(all), ...OPTIONAL, "All"];
  for (const name of wanted) if (!known.includes(name)) throw invalidAttributeName(name);
  const found = Object.entries(all).filter(([n]) => wanted.includes("All") || wanted.includes(n));
  return found.length === 0 ? {} : { Attributes: Object.fromEntries(found) };
}

/** Known names that a queue need not have. */
const OPTIONAL = [
  "Policy",
  "RedrivePolicy",
  "RedriveAllowPolicy",
  "KmsMasterKeyId",
  "KmsDataKeyReusePeriodSeconds",
];

function readOnlyOf(queue: Queue): { [name: string]: string } {
  const { visible, delayed, inFlight } = queue.counts();
  return {
    QueueArn: queue.arn,
    ApproximateNumberOfMessages: String(visible),
    ApproximateNumberOfMessagesNotVisible: String(inFlight),
    ApproximateNumberOfMessagesDelayed: String(delayed),
    CreatedTimestamp: String(Math.floor(queue.createdEpochMs / 1_000)),
    LastModifiedTimestamp: String(Math.floor(queue.modifiedEpochMs / 1_000)),
  };
}

export function setQueueAttributes(world: World, input: JsonInput): object {
  const queue = queueOf(world, input);
  if (input.Attributes === undefined) throw missingParameter("Attribute.Name");
  const attributes = mapOf(input, "Attributes");
  queue.settings = withAttributes(queue.settings, attributes);
  queue.modifiedEpochMs = world.queues.now().epochMs;
  audit(world, "SetQueueAttributes", queue.arn, attributes);
  return {};
}
