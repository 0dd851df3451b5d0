// Seeded random numbers that fork by label, so that adding a consumer changes no other's numbers.

export interface Rng {
  /** Uniform in [0, 1), 32 bits. */
  next(): number;
  /** An independent stream that depends on this stream's seed and the label only. */
  fork(label: string): Rng;
}

/** 32-bit hash of a string and a seed (the mixing steps are MurmurHash3's, public domain). */
function hash32(text: string, seed: number): number {
  let h = seed ^ text.length;
  for (let i = 0; i < text.length; i++) {
    h = Math.imul(h ^ text.charCodeAt(i), 0xcc9e2d51);
    h = (h << 13) | (h >>> 19);
  }
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return (h ^ (h >>> 16)) >>> 0;
}

/**
 * sfc32 (Chris Doty-Humphrey's small fast counter, public domain), seeded from `seed` and `path`.
 */
export function seededRng(seed: number, path = ""): Rng {
  let a = hash32(`${path}/a`, seed);
  let b = hash32(`${path}/b`, seed);
  let c = hash32(`${path}/c`, seed);
  let counter = 1;
  const next = (): number => {
    const t = (((a + b) | 0) + counter) | 0;
    counter = (counter + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = (c << 21) | (c >>> 11);
    c = (c + t) | 0;
    return (t >>> 0) / 4_294_967_296;
  };
  for (let i = 0; i < 12; i++) next(); // sfc32 needs a dozen rounds before its state is mixed
  return { next, fork: (label) => seededRng(seed, `${path}/${label}`) };
}
