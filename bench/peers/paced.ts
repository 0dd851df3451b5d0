// Our paced sender in its own process: a uniform schedule over the real pacer and the real wire.
// usage: paced.js <mode> <port> <rate> <count>   prints its own lag (sent - due) as JSON
import { runUs, US_PER_S } from "../../src/core/time.ts";
import { systemClock } from "../../src/run/clock.ts";
import { createPacer, type PacingMode } from "../../src/run/pacing.ts";
import { createHttpClient } from "../../src/wire/http-client.ts";
import { parseOrigin } from "../../src/wire/origin.ts";
import { serializeRequest } from "../../src/wire/request.ts";
import { quantile } from "./processes.ts";

const [mode = "thread", port = "", ...numbers] = process.argv.slice(2);
const [rate = 1_000, count = 1_000] = numbers.map(Number);
/** Connections are open before the schedule begins, as the C peer's are. */
const CONNECTIONS = 64;

const { nowUs: now } = systemClock();
await using pacer = createPacer({ now, mode: mode as PacingMode });
await using client = createHttpClient({
  origin: parseOrigin(`http://127.0.0.1:${port}`),
  now,
  timeoutUs: 10 * US_PER_S,
});
const get = serializeRequest(`127.0.0.1:${port}`, {
  method: "GET",
  path: "/",
  headers: [],
  body: null,
});

/** Opens connections by requests that are under way at the same time. */
async function warmUp(): Promise<void> {
  const open = Array.from(
    { length: CONNECTIONS },
    () => new Promise((resolve) => client.send(get, resolve)),
  );
  await Promise.all(open);
}

async function paced(): Promise<number[]> {
  const lagsUs: number[] = [];
  let sent = 0;
  let done = 0;
  const startUs = now() + 20_000;
  const dueUs = (k: number): number => startUs + Math.round((k * US_PER_S) / rate);
  await new Promise<void>((resolve) => {
    const wake = (): void => {
      for (let nowUs = now(); sent < count && dueUs(sent) <= nowUs; nowUs = now()) {
        lagsUs.push(nowUs - dueUs(sent));
        sent++;
        client.send(get, () => {
          if (++done === count) resolve();
        });
      }
      if (sent < count) pacer.wakeAt(runUs(dueUs(sent)), wake);
    };
    pacer.wakeAt(runUs(dueUs(0)), wake);
  });
  return lagsUs;
}

await warmUp();
const lagsUs = await paced();
const cpu = process.cpuUsage();
console.log(JSON.stringify({ lagP50Us: quantile(lagsUs, 0.5), cpuUs: cpu.user + cpu.system }));
