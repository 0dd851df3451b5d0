// Execution environments that wait for work: by version, oldest first, the newest used first.

interface Idle {
  readonly environment: number;
  readonly sinceUs: number;
}

export class IdleEnvironments {
  readonly #keepUs: number;
  readonly #byVersion = new Map<string, Idle[]>();

  constructor(keepUs: number) {
    this.#keepUs = keepUs;
  }

  add(version: string, environment: number, sinceUs: number): void {
    const idle = this.#byVersion.get(version);
    if (idle === undefined) this.#byVersion.set(version, [{ environment, sinceUs }]);
    else idle.push({ environment, sinceUs });
  }

  /** The environment used last, unless idle for too long (then all the others are, too). */
  take(version: string, nowUs: number): number | null {
    const idle = this.#byVersion.get(version);
    const last = idle?.at(-1);
    if (last === undefined || this.#isExpired(last, nowUs)) return null;
    idle!.pop();
    return last.environment;
  }

  /** Those that have been idle for too long, forgotten by this call. */
  expire(nowUs: number): number[] {
    const gone: number[] = [];
    for (const [version, idle] of this.#byVersion) {
      const firstKept = idle.findIndex((each) => !this.#isExpired(each, nowUs));
      const expired = idle.splice(0, firstKept === -1 ? idle.length : firstKept);
      if (idle.length === 0) this.#byVersion.delete(version);
      for (const { environment } of expired) gone.push(environment);
    }
    return gone;
  }

  /** All of the version's, forgotten by this call. */
  drop(version: string): number[] {
    const gone = (this.#byVersion.get(version) ?? []).map(({ environment }) => environment);
    this.#byVersion.delete(version);
    return gone;
  }

  #isExpired({ sinceUs }: Idle, nowUs: number): boolean {
    return nowUs - sinceUs >= this.#keepUs;
  }
}
