// The systems of scenarios/clicks on local AWS: what a click adds, once or repeated.
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type LocalAws, startLocalAws } from "../../src/local/start.ts";

const FOLDER = new URL("../../scenarios/clicks/", import.meta.url);
const MINUTE = "2026-11-30T05:24";
const start = (variant: string, options = {}): Promise<LocalAws> => {
  const template = fileURLToPath(new URL(`${variant}.template.yaml`, FOLDER));
  return startLocalAws({ template, ...options });
};
const click = ({ outputs }: LocalAws, body: object | string): Promise<Response> =>
  fetch(`${outputs.ClicksUrl}/clicks`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: typeof body === "string" ? body : JSON.stringify(body),
  });
const on = (article: string, clickId: string) => ({ clickId, article, minute: MINUTE });
async function clicksOf({ outputs }: LocalAws, article: string): Promise<number> {
  const answer = await fetch(`${outputs.ClicksUrl}/articles/${article}/clicks?minute=${MINUTE}`);
  return ((await answer.json()) as { clicks: number }).clicks;
}

describe.each(["naive", "hardened", "no-event-ids", "no-sub-keys"] as const)("%s", (variant) => {
  let local: LocalAws;
  beforeAll(async () => {
    local = await start(variant);
  });
  afterAll(() => local.stop());

  it("names what the scenario asks for", () => {
    expect(Object.keys(local.outputs).sort()).toEqual([
      ...["AccessLogGroup", "ClicksHost", "ClicksUrl", "CountArn", "CountsTable"],
    ]);
  });

  it.each(["{", "{}", "null", JSON.stringify({ ...on("a", "click-000"), minute: "soon" })])(
    "answers 400 to %s",
    async (body) => expect((await click(local, body)).status).toBe(400),
  );

  it("counts clicks of one article and minute together; the same click twice is one or two", async () => {
    const ids = Array.from({ length: 30 }, (_, i) => `click-${i}-of-thirty`);
    const sent = [...ids, ids[3]!, ids[7]!];
    for (const id of sent) expect((await click(local, on("a-7", id))).status).toBe(202);
    await click(local, on("a-8", "another-click"));
    const counted = variant === "no-event-ids" ? 32 : 30;
    // What naive holds in its memory nobody has written yet.
    expect(await clicksOf(local, "a-7")).toBe(variant === "naive" ? 0 : counted);
    expect(await clicksOf(local, "a-8")).toBe(variant === "naive" ? 0 : 1);
  });
});

it("a hot article is refused on one key, and much less when it is spread over sub-keys", async () => {
  const refusedBy = async (variant: string): Promise<number> => {
    // A key takes two write units a second, which is one transaction; of all else there is enough.
    const plenty = { concurrency: 100_000, scalingBucket: 100_000 };
    const local = await start(variant, { scale: 0.002, ...plenty });
    let refused = 0;
    for (let i = 0; i < 12; i++) {
      const { status } = await click(local, on("a-7", `click-${i}-of-twelve`));
      if (status === 503) refused++;
    }
    await local.stop();
    return refused;
  };
  expect(await refusedBy("no-sub-keys")).toBeGreaterThan(await refusedBy("hardened"));
}, 60_000);
