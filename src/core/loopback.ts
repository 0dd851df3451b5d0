// What never leaves this machine.

/** True for 127.0.0.0/8, ::1 and localhost. */
export function isLoopback(endpoint: string): boolean {
  if (!URL.canParse(endpoint)) return false;
  const host = new URL(endpoint).hostname;
  return host === "localhost" || host === "[::1]" || /^127\.\d+\.\d+\.\d+$/.test(host);
}
