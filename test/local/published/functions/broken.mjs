// An init that fails where environments are provisioned, and nowhere else.
if (process.env.AWS_LAMBDA_INITIALIZATION_TYPE === "provisioned-concurrency")
  throw new Error("no provisioned environments here");

export const handler = async () => ({});
