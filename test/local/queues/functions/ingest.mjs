// Counts what it gets; a body that says so fails, alone or with its whole batch.
export const handler = async ({ Records }) => {
  const failed = Records.filter(({ body }) => JSON.parse(body).poison);
  for (const { body } of Records) if (JSON.parse(body).crash) throw new Error("crashed");
  console.log(`got ${Records.length}`);
  return { batchItemFailures: failed.map(({ messageId }) => ({ itemIdentifier: messageId })) };
};
