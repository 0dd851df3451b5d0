// The X-Ray trace of a request to a REST API: whose id, and whether it is recorded.

/** X-Ray's default rule: the first request of each second, and one in twenty of the others. */
const SAMPLED_SHARE = 0.05;
const SECOND_MS = 1_000;

export interface Trace {
  /** `1-` time `-` id: the client's own where it sent one. */
  readonly root: string;
  /** null = the stage does not trace. */
  readonly isSampled: boolean | null;
  /** What the function, and the client, see in `X-Amzn-Trace-Id`. */
  readonly header: string;
}

/** `tracing`: the stage's `TracingEnabled`; `random` is uniform in [0, 1). */
export function tracer(
  tracing: boolean,
  random: () => number,
): (sent: string, nowMs: number) => Trace {
  let takenSecond = -1;
  const hex = (digits: number): string =>
    Array.from({ length: digits }, () => Math.floor(random() * 16).toString(16)).join("");
  const decide = (nowMs: number): boolean => {
    const second = Math.floor(nowMs / SECOND_MS);
    if (second === takenSecond) return random() < SAMPLED_SHARE;
    takenSecond = second;
    return true;
  };
  return (sent, nowMs) => {
    const own = /(?:^|;) *Root=(1-[0-9a-f]{8}-[0-9a-f]{24})/.exec(sent)?.[1];
    const root = own ?? `1-${Math.floor(nowMs / SECOND_MS).toString(16)}-${hex(24)}`;
    if (!tracing) return { root, isSampled: null, header: `Root=${root};Sampled=0` };
    const decided = /(?:^|;) *Sampled=([01])/.exec(sent)?.[1];
    const isSampled = decided === undefined ? decide(nowMs) : decided === "1";
    const parent = isSampled ? `;Parent=${hex(16)}` : "";
    return { root, isSampled, header: `Root=${root}${parent};Sampled=${isSampled ? 1 : 0}` };
  };
}
