// Prints every record it counts; one text cannot be counted.
export const handler = async ({ Records }) => {
  const texts = Records.map(({ kinesis }) => Buffer.from(kinesis.data, "base64").toString());
  if (texts.includes("poison")) throw new Error("poison");
  for (const text of texts) console.log(`counted ${text}`);
};
