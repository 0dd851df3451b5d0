// Answers with its event, or fails when asked to.
export const handler = async (event) => {
  const asked = event?.body === undefined ? event : JSON.parse(event.body);
  if (asked?.fail) throw new Error(asked.fail);
  return { event };
};
