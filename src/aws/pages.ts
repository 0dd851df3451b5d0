// Lists of the control plane are read whole: what a caller does not see, it takes for absent.
import type { Json } from "../core/change.ts";
import { AwsFailure } from "../core/change.ts";

interface Paging {
  /** Lists of the answer that go on with the next page. */
  readonly items: readonly string[];
  /** Token of an answer, and of the next question. */
  readonly token: string;
  readonly ask: string;
}

const marker = (items: string): Paging => ({
  ...{ items: [items], token: "NextMarker", ask: "Marker" },
});
const position = { items: ["items"], token: "position", ask: "position" };
const token = (...items: string[]): Paging => ({ items, token: "NextToken", ask: "NextToken" });

/** By service and operation. What a run has measured is read page by page. */
export const PAGED = {
  "lambda:ListAliases": marker("Aliases"),
  "lambda:ListEventSourceMappings": marker("EventSourceMappings"),
  "lambda:ListFunctionEventInvokeConfigs": marker("FunctionEventInvokeConfigs"),
  "lambda:ListFunctionUrlConfigs": marker("FunctionUrlConfigs"),
  "lambda:ListFunctions": marker("Functions"),
  "lambda:ListProvisionedConcurrencyConfigs": marker("ProvisionedConcurrencyConfigs"),
  "scheduler:ListSchedules": token("Schedules"),
  "apigatewayv2:GetApis": token("Items"),
  "apigatewayv2:GetIntegrations": token("Items"),
  "apigatewayv2:GetRoutes": token("Items"),
  "apigatewayv2:GetStages": token("Items"),
  "apigatewayv2:GetDomainNames": token("Items"),
  "apigatewayv2:GetApiMappings": token("Items"),
  "apigateway:GetRestApis": position,
  "apigateway:GetResources": position,
  "apigateway:GetBasePathMappings": position,
  "apigateway:GetUsagePlans": position,
  "elasticloadbalancingv2:DescribeLoadBalancers": marker("LoadBalancers"),
  "elasticloadbalancingv2:DescribeListeners": marker("Listeners"),
  "elasticloadbalancingv2:DescribeTargetGroups": marker("TargetGroups"),
  "cloudwatch:DescribeAlarms": token("MetricAlarms", "CompositeAlarms"),
  "cloudformation:DescribeStacks": token("Stacks"),
  "ssm:GetParametersByPath": token("Parameters"),
} satisfies { readonly [operation: string]: Paging };

export type PagedList = keyof typeof PAGED;

type Input = { readonly [key: string]: Json };
type Output = { readonly [key: string]: unknown };

/**
 * The answer with the items of all pages; another operation's, or that to a question for one page,
 * as it is. Rejects with what `call` rejects with: a part of a list is no answer.
 */
export async function allPages(
  operation: string,
  input: Input,
  call: (input: Input) => Promise<Output>,
): Promise<Output> {
  const paging = (PAGED as { readonly [operation: string]: Paging })[operation];
  let answer = await call(input);
  if (paging === undefined || input[paging.ask] !== undefined) return answer;
  const { items, token, ask } = paging;
  const lists = items.map((name) => [...listOf(answer[name])]);
  for (let next = answer[token]; typeof next === "string" && next !== ""; next = answer[token]) {
    const before = next;
    answer = await call({ ...input, [ask]: next });
    for (const [at, name] of items.entries()) lists[at]?.push(...listOf(answer[name]));
    if (answer[token] === before)
      throw new AwsFailure("EndlessList", `${operation} gives the same page again`, "", 0);
  }
  const whole = Object.fromEntries(items.map((name, at) => [name, lists[at]]));
  return { ...answer, ...whole, [token]: undefined };
}

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
