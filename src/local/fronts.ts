// Starts the ports of a template: one for each API, one for each function URL.
import { randomUUID } from "node:crypto";
import { seededRng } from "../core/rng.ts";
import {
  ACCOUNT_BURST,
  ACCOUNT_RATE_PER_SECOND,
  requestThrottle,
} from "../model/request-throttle.ts";
import { httpMetrics, restMetrics } from "./front-metrics.ts";
import type { Invoker } from "./function-host.ts";
import { startHttpApi } from "./http-api/front.ts";
import { startFunctionUrl } from "./http-api/function-url.ts";
import { signersOf } from "./iam/signed-request.ts";
import { nameOf } from "./lambda/function-name.ts";
import { startRestApi } from "./rest-api/front.ts";
import { usageGates } from "./rest-api/usage.ts";
import { sendMessageFor } from "./sqs/integration.ts";
import { hostOf } from "./template/names.ts";
import type { FrontAddress, Template } from "./template/types.ts";
import type { World } from "./world.ts";

export interface Front extends FrontAddress {
  close(): Promise<void>;
}

/** `touched` is called for each request; the account's request throttle is scaled. */
export function startFronts(
  world: World,
  template: Template,
  scale: number,
  touched: () => void,
): Promise<Front[]> {
  const { clock, logs, pipeline, lambdaMetrics } = world;
  const invoker: Invoker = {
    invoke: (name, event, how) => {
      touched();
      return pipeline.invoke(name, event, how);
    },
  };
  const throttle = requestThrottle(ACCOUNT_RATE_PER_SECOND * scale, ACCOUNT_BURST * scale);
  const nowMs = (): number => clock.wallMs();
  const requestIds = seededRng(nowMs()); // ids of two starts differ
  const signer = signersOf(world);
  const sendMessage = sendMessageFor(world, touched);
  const apis = template.apis.map(async (api): Promise<Front> => {
    const random = requestIds.fork(api.logicalId).next;
    const answered = httpMetrics(world.metrics, api);
    const deps = { invoker, sendMessage, logs, nowMs, random, throttle, answered, signer };
    const { host, close } = await startHttpApi(api, deps);
    return { onAws: hostOf(api.apiId, api), host, close };
  });
  const usageGate = usageGates(template.usage);
  const restApis = template.restApis.map(async (api): Promise<Front> => {
    const random = requestIds.fork(api.logicalId).next;
    const ids = { random, newRequestId: randomUUID };
    const answered = restMetrics(world.metrics, api);
    const deps = { invoker, logs, nowMs, ...ids, throttle, usageGate, answered, signer };
    const { host, close } = await startRestApi(api, deps);
    return { onAws: hostOf(api.apiId, api), host, close };
  });
  const urls = template.urls.map(async (url): Promise<Front> => {
    const { host, close } = await startFunctionUrl(url, {
      ...{ invoker, nowMs, newRequestId: randomUUID, signer },
      answered: (name, startMs, latencyMs, status) =>
        lambdaMetrics.urlAnswered(nameOf(name), startMs, latencyMs, status),
    });
    return { onAws: url.onAws, host, close };
  });
  return Promise.all([...apis, ...restApis, ...urls]);
}
