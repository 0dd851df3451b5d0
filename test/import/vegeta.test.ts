// Vegeta targets: bodies and headers without times.
import { describe, expect, test } from "vitest";
import { renderFidelity } from "../../src/import/fidelity.ts";
import { importText, skippedOf } from "./memory-file.ts";

describe("vegeta", () => {
  test("targets keep bodies and repeated headers, lose credentials, and have no times", async () => {
    const imported = await importText(
      [
        '{"method":"GET","url":"http://user:pw@shop.example:80/a"}',
        '{"method":"POST","url":"https://shop.example/b","body":"aGk=","header":{"X-A":["1","2"]}}',
        '{"method":"GET"}',
      ].join("\n"),
    );
    expect(imported.records).toMatchObject([
      { t_meaning: "none", host: "shop.example", path: "/a", body_state: "none" },
      {
        path: "/b",
        body_b64: "aGk=",
        headers: [
          ["x-a", "1"],
          ["x-a", "2"],
        ],
      },
    ]);
    expect(JSON.stringify(imported.records)).not.toContain("pw");
    expect(skippedOf(imported)).toEqual({ "not a target": 1 });
    expect(renderFidelity(imported.fidelity)).toContain("times: none in this capture");
  });
});
