// Lists are read whole: of every list that we call, and of one-item pages of local AWS.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createControlPlane } from "../../src/aws/control-plane.ts";
import { fingerprintOf } from "../../src/aws/fingerprint.ts";
import { allPages, PAGED } from "../../src/aws/pages.ts";
import { AwsFailure, type ControlPlane, type Json } from "../../src/core/change.ts";
import { type LocalAws, startLocalAws } from "../../src/local/start.ts";
import { QUEUES_TEMPLATE } from "../local/clients.ts";

const SRC = fileURLToPath(new URL("../../src/", import.meta.url));
const TOKENS = ["position", "NextToken", "NextMarker", "nextToken", "LastEvaluatedKey", "Marker"];

/** Read page by page where they are called, because what a run has measured may be much. */
const OWN_PAGES: { readonly [operation: string]: string } = {
  ListDistributions: "aws/edge-proof.ts",
  FilterLogEvents: "observe/log-events.ts",
  GetMetricData: "observe/metrics.ts",
  Scan: "observe/sinks/dynamodb-sink.ts",
};

/** Operations of our clients whose answer may be one page of several. */
async function pagedOperations(): Promise<Map<string, string[]>> {
  const control = readFileSync(join(SRC, "aws/control-plane.ts"), "utf8");
  const packages = [...control.matchAll(/(\w+): \(\) => import\("(@aws-sdk\/[\w-]+)"\)/g)];
  const found = new Map<string, string[]>();
  for (const [, service = "", name = ""] of packages) {
    const module = (await import(name)) as { readonly [key: string]: unknown };
    for (const [key, schema] of Object.entries(module)) {
      // [kind, namespace, name, traits, input, output]; of a structure: [kind, …, traits, members]
      if (!key.endsWith("$") || !Array.isArray(schema) || schema[0] !== 9) continue;
      const members = (schema[5] as () => unknown) instanceof Function ? schema[5]() : schema[5];
      const names = Array.isArray(members) ? (members[4] as unknown) : [];
      if (Array.isArray(names) && TOKENS.some((token) => names.includes(token)))
        found.set(key.slice(0, -1), [...(found.get(key.slice(0, -1)) ?? []), service]);
    }
  }
  return found;
}

describe("every list that is called", () => {
  test("is followed to its end, by the control plane or where it is called", async () => {
    const paged = await pagedOperations();
    expect([...paged.keys()]).toEqual(expect.arrayContaining(["ListAliases", "GetApis", "Scan"]));
    const files = readdirSync(SRC, { recursive: true, encoding: "utf8" }).filter(
      (file) => file.endsWith(".ts") && !file.startsWith("local/"),
    );
    const called = new Set(
      files.flatMap((file) => {
        const text = readFileSync(join(SRC, file), "utf8");
        return [...text.matchAll(/"([A-Z][A-Za-z0-9]+)"/g)].map(([, name = ""]) => name);
      }),
    );
    const followed = Object.keys(PAGED).map((operation) => operation.split(":")[1] ?? "");
    const missed = [...called].filter(
      (name) => paged.has(name) && OWN_PAGES[name] === undefined && !followed.includes(name),
    );
    expect(missed).toEqual([]);
    for (const [operation, file] of Object.entries(OWN_PAGES))
      expect(readFileSync(join(SRC, file), "utf8")).toMatch(
        new RegExp(
          `${operation}[^]*(NextToken|nextToken|NextMarker|LastEvaluatedKey)|NextToken[^]*${operation}`,
        ),
      );
  });

  test("names lists and tokens that the service has", async () => {
    for (const operation of Object.keys(PAGED)) {
      const [service = "", action = ""] = operation.split(":");
      expect([operation, (await pagedOperations()).get(action)]).toEqual([
        operation,
        expect.arrayContaining([service]),
      ]);
    }
  });
});

describe("a list", () => {
  const pages = (answers: readonly { readonly [key: string]: Json }[]) => {
    const asked: object[] = [];
    const call = async (input: object) => {
      asked.push(input);
      return answers[asked.length - 1] ?? {};
    };
    return { asked, call };
  };

  test("is all pages in their order, and one page where one was asked for", async () => {
    const { asked, call } = pages([
      { Aliases: [1, 2], NextMarker: "a" },
      { NextMarker: "b" },
      { Aliases: [3] },
    ]);
    const whole = await allPages("lambda:ListAliases", { FunctionName: "f" }, call);
    expect(whole).toEqual({ Aliases: [1, 2, 3], NextMarker: undefined });
    expect(asked).toEqual([
      { FunctionName: "f" },
      { FunctionName: "f", Marker: "a" },
      { FunctionName: "f", Marker: "b" },
    ]);
    const one = pages([{ Aliases: [1], NextMarker: "a" }]);
    expect(await allPages("lambda:ListAliases", { Marker: "x" }, one.call)).toEqual({
      Aliases: [1],
      NextMarker: "a",
    });
  });

  test("of which a page cannot be read, or that does not end, is an error", async () => {
    const turning = pages([{ NextMarker: "a" }, { NextMarker: "a" }]);
    await expect(allPages("lambda:ListAliases", {}, turning.call)).rejects.toThrow(/same page/);
    let calls = 0;
    const failing = allPages("ssm:GetParametersByPath", {}, async () => {
      if (calls++ > 0) throw new AwsFailure("ThrottlingException", "slow down", "", 400);
      return { Parameters: [1], NextToken: "a" };
    });
    await expect(failing).rejects.toThrow("slow down");
  });
});

describe("with one item in a page of local AWS", () => {
  let local: LocalAws;
  let control: ControlPlane;
  beforeAll(async () => {
    local = await startLocalAws({ template: QUEUES_TEMPLATE, pageMost: 1 });
    const { endpoint } = local;
    control = createControlPlane({ endpoint, region: "eu-west-1", account: null, runId: "test" });
  });
  afterAll(() => local.stop());

  test("functions, aliases, parameters, schedules are all found", async () => {
    const listed = await control.call("lambda", "ListFunctions", {});
    const names = (listed.Functions as { FunctionName: string }[]).map((one) => one.FunctionName);
    expect(names.length).toBeGreaterThan(1);
    const [FunctionName = ""] = names;
    const { Version } = await control.call("lambda", "PublishVersion", { FunctionName });
    for (const Name of ["blue", "green", "red"]) {
      const alias = { FunctionName, Name, FunctionVersion: String(Version) };
      await control.call("lambda", "CreateAlias", alias);
      const parameter = { Name: `/shop/${Name}`, Value: Name, Type: "String" };
      await control.call("ssm", "PutParameter", parameter);
    }
    const found = await fingerprintOf([FunctionName], control);
    const aliases = Object.keys(found[FunctionName] ?? {}).filter((key) => key.startsWith("alias"));
    expect(aliases).toEqual(["alias blue", "alias green", "alias red"]);
    const { Parameters } = await control.call("ssm", "GetParametersByPath", { Path: "/shop/" });
    expect((Parameters as object[]).length).toBe(3);
    const { EventSourceMappings } = await control.call("lambda", "ListEventSourceMappings", {});
    expect((EventSourceMappings as object[]).length).toBeGreaterThan(0);
  });
});
