import { basename } from "node:path";

let count = 0;

export const label = () => {
  count += 1;
  return `${basename(import.meta.url)} ${basename(import.meta.dirname)} ${count}`;
};
