// Body templates: what each value is, and that mistakes are named.
import { expect, test } from "vitest";
import { seededRng } from "../../src/core/rng.ts";
import { compileTemplate } from "../../src/drivers/template.ts";

const render = (text: string, seq = 0): string =>
  compileTemplate(text)({ seq, dueEpochMs: 1_700_000_000_123, rng: seededRng(5) });

test.each([
  ["plain text", "no places { } here", /^no places \{ \} here$/],
  ["seq", "{{seq}}-{{ seq }}", /^4-4$/],
  ["uuid", "{{uuid}}", /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/],
  ["int", "{{int 3 5}}", /^[345]$/],
  ["pick", "{{pick red | green}}", /^(red|green)$/],
  ["hex", "{{hex 12}}", /^[0-9a-f]{12}$/],
  ["pad", "<{{pad 3}}>", /^<xxx>$/],
  ["now minute", "{{now minute}}", /^2023-11-14T22:13$/],
  ["now", "{{now}} {{now-ms}}", /^2023-11-14T22:13:20.123Z 1700000000123$/],
])("%s", (_name, text, expected) => {
  expect(render(text, 4)).toMatch(expected);
});

test.each(["{{nonsense}}", "{{int 5}}", "{{int 5 1}}", "{{pick}}", "{{seq 3}}", "{{int 1 2 3}}"])(
  "%s is refused by name",
  (text) => {
    expect(() => compileTemplate(text)).toThrow(`${text} is no value of a body template`);
  },
);
