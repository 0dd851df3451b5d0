// Answers which version runs it, and how it was invoked.
let served = 0;

export async function handler(event, context) {
  served++;
  if (event.sleepMs !== undefined)
    await new Promise((resolve) => setTimeout(resolve, event.sleepMs));
  return {
    version: context.functionVersion,
    arn: context.invokedFunctionArn.split(":function:")[1],
    inEnvironment: process.env.AWS_LAMBDA_FUNCTION_VERSION,
    start: process.env.AWS_LAMBDA_INITIALIZATION_TYPE,
    greeting: process.env.GREETING,
    stream: context.logStreamName,
    served,
  };
}
