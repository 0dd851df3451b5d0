// What --help says of every command can be read by somebody who has not seen the code.
import { expect, it } from "vitest";
import { gatecrash } from "../support/in-process.ts";

it("names no default that only a program understands", async () => {
  const { out } = await gatecrash("--help");
  const names = [...out.matchAll(/^ {2}([a-z]+) [<[]/gm)].map(([, name]) => name!);
  expect(names).toContain("init");
  for (const name of names) {
    const help = await gatecrash(name, "--help");
    expect([name, help.code, help.out.match(/default:\s*[[{]/)]).toEqual([name, 0, null]);
  }
});
