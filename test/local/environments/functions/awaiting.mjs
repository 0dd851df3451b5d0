const ready = await new Promise((resolve) => setTimeout(resolve, 20, "awaited"));
let calls = 0;

export const handler = async (event) => {
  calls += 1;
  if (event.exit) process.exit(3);
  return { ready, calls, pid: process.pid };
};
