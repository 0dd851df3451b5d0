// What may be secret is taken out of texts and command lines, and nothing else is.
import { describe, expect, test } from "vitest";
import { hiding, shownCommand, shownUrl } from "../../src/core/hiding.ts";

test("a value is hidden as it is, as JSON writes it and as a URL does, longest first", () => {
  const hide = hiding(['se"cret', "se", 'se"cret and more', ""]);
  expect(hide('a se"cret and more b se"cret c se')).toBe("a … b … c se");
  expect(hide(JSON.stringify(['se"cret']))).toBe('["…"]');
  expect(hide(`?k=${encodeURIComponent('se"cret')}`)).toBe("?k=…");
  expect(hiding([])("as it was")).toBe("as it was");
});

test.each([
  [
    "https://me:pw@h.example:8/a?b=c&d={{env.X}}&e#f",
    "https://…@h.example:8/a?b=…&d={{env.X}}&e#f",
  ],
  ["http://h/a?t=x=y", "http://h/a?t=…"],
  ["not a URL?b=c", "not a URL?b=c"],
  ["http://h/plain", "http://h/plain"],
])("the URL %s is shown as %s", (url, shown) => expect(shownUrl(url)).toBe(shown));

describe("a command line", () => {
  test("keeps its options and loses their values, in both ways of writing them", () => {
    const words = [
      "load",
      "http://u:p@h/",
      "--header",
      "x: abc",
      "-H",
      "y",
      "--body={}",
      "--rate",
      "5/s",
    ];
    expect(shownCommand(words)).toEqual([
      ...["load", "http://…@h/", "--header", "x: …", "-H", "…", "--body=…", "--rate", "5/s"],
    ]);
  });

  test("keeps a reference, which says nothing", () => {
    const words = ["--header", "x-key: {{env.KEY}}", "--header=auth: a{{env.KEY}}"];
    expect(shownCommand(words)).toEqual([words[0], words[1], "--header=auth: …"]);
  });
});
