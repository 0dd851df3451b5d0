// Does what the event asks for.
const wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

const STEPS = {
  context: (_event, context) => ({ ...context, remaining: context.getRemainingTimeInMillis() }),
  environment: () => ({ ...process.env }),
  throw: () => {
    throw new TypeError("no such order");
  },
  throwText: () => {
    throw "only text";
  },
  hang: async () => {
    console.log("before the wait");
    await wait(600_000);
  },
  spin: () => {
    for (;;);
  },
  exit: async ({ code, afterMs }) => {
    console.log("leaving");
    await wait(afterMs ?? 0);
    process.exit(code);
  },
  slow: async ({ waitMs }) => {
    await wait(waitMs);
    return "done";
  },
  talk: async ({ name }) => {
    for (let i = 0; i < 3; i++) {
      console.info("%s %d", name, i);
      await wait(5);
    }
    console.error("last of", name);
    process.stdout.write(`raw ${name}\n`);
  },
  later: async () => {
    setTimeout(() => console.log("late"), 20);
  },
  lateThrow: async () => {
    setTimeout(() => {
      throw new Error("in a timer");
    }, 5);
    await wait(600_000);
  },
  lateReject: async () => {
    Promise.resolve().then(() => {
      throw new Error("nobody waits");
    });
    await wait(600_000);
  },
  nothing: () => undefined,
  circular: () => {
    const ring = {};
    ring.self = ring;
    return ring;
  },
  large: () => "x".repeat(6_291_555),
};

export const handler = async (event, context) => STEPS[event.step](event, context);

export const callback = (event, _context, done) => {
  setTimeout(() => done(event.fail ? new Error(event.fail) : null, { called: true }), 1);
};

export const plain = (event) => ({ ignored: event });

export const api = { nested: async () => "nested" };
