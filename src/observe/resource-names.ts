// Names of functions and queues in the forms that people write them: ARN, URL or the name itself.

/** Of an ARN, qualified or not, or of the name itself. */
export function functionName(arn: string): string {
  return arn.startsWith("arn:") ? (arn.split(":")[6] ?? arn) : arn;
}

/** Of a queue's URL, its ARN, or its name. */
export function queueName(queue: string): string {
  return queue.split(queue.startsWith("arn:") ? ":" : "/").at(-1) ?? queue;
}
