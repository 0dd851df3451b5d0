// What policies allow: wildcards, denials, boundaries and conditions as IAM evaluates them.
import { describe, expect, test } from "vitest";
import {
  matchesAction,
  matchesResource,
  refusal,
  type Statement,
} from "../../../src/local/iam/policy.ts";

const FN = "arn:aws:lambda:eu-west-1:222222222222:function";

test.each([
  [`${FN}:shop`, `${FN}:shop`, true],
  [`${FN}:shop`, `${FN}:shop:live`, false],
  [`${FN}:shop:*`, `${FN}:shop:live`, true],
  [`${FN}:shop:*`, `${FN}:shop`, false],
  [`${FN}:*`, `${FN}:shop:live`, true],
  ["arn:aws:lambda:*:222222222222:function:shop", `${FN}:shop`, true],
  ["arn:aws:lambda:*:function:shop", `${FN}:shop`, false],
  ["arn:aws:lambda:eu-west-1:*", `${FN}:shop`, false],
  ["arn:aws:s3:::facts/a?c", "arn:aws:s3:::facts/abc", true],
  ["arn:aws:s3:::facts/a.c", "arn:aws:s3:::facts/abc", false],
  ["*", "arn:aws:s3:::facts", true],
  ["*", "*", true],
  ["arn:aws:cloudwatch:eu-west-1:1:alarm:*", "*", false],
])("resource %s against %s: %s", (pattern, arn, matches) => {
  expect(matchesResource(pattern, arn)).toBe(matches);
});

test("actions are compared without regard to case, and whole", () => {
  expect(matchesAction("lambda:get*", "lambda:GetAlias")).toBe(true);
  expect(matchesAction("lambda:Get", "lambda:GetAlias")).toBe(false);
  expect(matchesAction("*", "lambda:GetAlias")).toBe(true);
});

const statement = (more: Partial<Statement>): Statement => ({
  ...{ effect: "Allow", actions: ["iam:PassRole"], resources: ["*"], conditions: [] },
  ...more,
});
const need = { action: "iam:PassRole", resource: "arn:aws:iam::222222222222:role/x" };
const pass = { ...need, context: { "iam:PassedToService": "scheduler.amazonaws.com" } };
const NO = "because no identity-based policy allows the iam:PassRole action";

describe("a call", () => {
  test("is refused without a statement for it, and by any denial", () => {
    const allow = statement({});
    const deny = statement({ effect: "Deny" });
    expect(refusal({ identity: [], boundary: null }, need)).toBe(NO);
    expect(refusal({ identity: [allow], boundary: null }, need)).toBe(null);
    expect(refusal({ identity: [allow, deny], boundary: null }, need)).toMatch(/explicit deny/);
    expect(refusal({ identity: [allow], boundary: [allow, deny] }, need)).toMatch(/explicit deny/);
  });

  test("is refused by a boundary that does not allow it as well", () => {
    const identity = [statement({})];
    expect(refusal({ identity, boundary: [] }, need)).toMatch(/no permissions boundary allows/);
    expect(refusal({ identity, boundary: identity }, need)).toBe(null);
    expect(refusal({ identity: [], boundary: identity }, need)).toBe(NO);
  });

  test.each([
    ["StringEquals", ["scheduler.amazonaws.com"], true, false],
    ["StringEquals", ["lambda.amazonaws.com"], false, false],
    ["StringLike", ["*.amazonaws.com"], true, false],
    ["StringNotEquals", ["lambda.amazonaws.com"], true, true],
    ["StringNotEquals", ["scheduler.amazonaws.com"], false, true],
  ] as const)("with %s %j holds: %s, without the key: %s", (operator, values, holds, without) => {
    const conditions = [{ operator, key: "iam:PassedToService", values }];
    const rights = { identity: [statement({ conditions })], boundary: null };
    expect([refusal(rights, pass) === null, refusal(rights, need) === null]).toEqual([
      holds,
      without,
    ]);
  });
});
