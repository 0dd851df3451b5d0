// The nearest known word to a mistyped one, for every "did you mean".

/** Edits (insert, delete, replace, swap of neighbours) that turn `a` into `b`. */
export function editDistance(a: string, b: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1] ? 0 : 1;
      let best = Math.min(last[j]! + 1, row[j - 1]! + 1, last[j - 1]! + same);
      const swapped = a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      if (swapped && i > 1 && j > 1) best = Math.min(best, beforeLast[j - 2]! + 1);
      row.push(best);
    }
    beforeLast = last;
    last = row;
  }
  return last[b.length]!;
}

/** The closest candidate, or undefined when none is closer than half of the word's length. */
export function nearest(word: string, candidates: Iterable<string>): string | undefined {
  let found: string | undefined;
  let best = Math.max(2, Math.ceil(word.length / 2));
  for (const candidate of candidates) {
    const distance = editDistance(word.toLowerCase(), candidate.toLowerCase());
    if (distance < best || (distance === best && found === undefined)) {
      found = candidate;
      best = distance;
    }
  }
  return found;
}

/** `did you mean \`x\`?`, else the list of what is known; undefined when nothing is. */
export function didYouMean(word: string, candidates: Iterable<string>): string | undefined {
  const known = [...candidates];
  const close = nearest(word, known);
  if (close !== undefined) return `did you mean \`${close}\`?`;
  return known.length === 0 ? undefined : `known here: ${known.join(", ")}`;
}
