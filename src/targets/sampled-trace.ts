// The trace of a request that a REST front has sampled, from its answer.

/** `Root=1-…;Parent=…;Sampled=1` of a REST front → the root: only that is in REPORT lines too. */
export function sampledTrace(restId: string | undefined, header: string): string {
  if (header === "" || !restId || !/(?:^|;) *Sampled=1/.test(header)) return "";
  return /(?:^|;) *Root=(1-[0-9a-f-]+)/.exec(header)?.[1] ?? "";
}
