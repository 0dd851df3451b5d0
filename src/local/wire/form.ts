// A Query form as a tree: `A.1.B=x` → { A: { "1": { B: "x" } } }.

export type FormTree = { [key: string]: FormTree | string };

/** Later values replace earlier ones; a name below a text is ignored. */
export function formTree(form: URLSearchParams): FormTree {
  const root: FormTree = Object.create(null);
  for (const [name, value] of form) {
    const path = name.split(".");
    const last = path.pop() ?? "";
    let at = root;
    for (const part of path) {
      const next = at[part];
      if (typeof next === "object") at = next;
      else {
        const made: FormTree = Object.create(null);
        at[part] = made;
        at = made;
      }
    }
    at[last] = value;
  }
  return root;
}

/** The items of a list that is written as `1`, `2`, …, in that order. */
export function listOf(tree: FormTree | string | undefined): (FormTree | string)[] {
  if (typeof tree !== "object") return [];
  return Object.keys(tree)
    .filter((key) => /^\d+$/.test(key))
    .sort((a, b) => Number(a) - Number(b))
    .map((key) => tree[key]!);
}
