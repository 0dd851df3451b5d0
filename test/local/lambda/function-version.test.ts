// Which processes a version keeps: as long as it has work or environments, and no longer.
import { expect, it } from "vitest";
import type { ExecutionEnvironment } from "../../../src/local/function-host.ts";
import { FunctionVersion } from "../../../src/local/lambda/function-version.ts";
import { specOf } from "../environments/host.ts";

const CONFIG = {
  spec: specOf("tiny.handler"),
  description: "",
  activeTracing: false,
  deadLetterArn: null,
  layers: [],
};

function versionWith() {
  const hosts = { made: 0, closed: 0 };
  const environment: ExecutionEnvironment = {
    id: "e",
    stream: "s",
    initMs: 1,
    invoke: () => Promise.reject(new Error("not invoked here")),
    destroy: () => {},
  };
  const makeHost = async () => {
    hosts.made++;
    return {
      create: async () => environment,
      async [Symbol.asyncDispose]() {
        hosts.closed++;
      },
    };
  };
  return { hosts, environment, version: new FunctionVersion("1", CONFIG, makeHost, 0) };
}

it("rests without environments only, and comes back when it is needed", async () => {
  const { version, hosts, environment } = versionWith();
  await version.ready();
  version.environments.set(1, environment);
  version.rest();
  version.forget(1);
  version.enter();
  version.rest();
  expect(hosts).toEqual({ made: 1, closed: 0 });
  version.leave();
  version.rest();
  version.rest();
  await new Promise((resolve) => setImmediate(resolve));
  expect(hosts).toEqual({ made: 1, closed: 1 });
  expect(await version.create()).toBe(environment);
  expect(hosts).toEqual({ made: 2, closed: 1 });
});

it("once retired ends with its last invocation", async () => {
  const { version, hosts } = versionWith();
  await version.ready();
  version.enter();
  version.retire();
  await new Promise((resolve) => setImmediate(resolve));
  expect(hosts.closed).toBe(0);
  version.leave();
  await new Promise((resolve) => setImmediate(resolve));
  expect(hosts.closed).toBe(1);
});

it("makes its processes anew after they could not be made", async () => {
  const { environment } = versionWith();
  let tries = 0;
  const makeHost = async () => {
    if (++tries === 1) throw new Error("spawn EAGAIN");
    return { create: async () => environment, async [Symbol.asyncDispose]() {} };
  };
  const version = new FunctionVersion("1", CONFIG, makeHost, 0);
  expect(await version.create()).toMatchObject({ message: "spawn EAGAIN" });
  expect(await version.create()).toBe(environment);
});
