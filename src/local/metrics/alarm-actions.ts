// What an alarm does when its state changes: functions are called, all else is written down.
import type { Alarm, AlarmTurn } from "./alarm-table.ts";

export interface ActionPlace {
  readonly account: string;
  readonly region: string;
  /** Invokes a function asynchronously. Throws where it is not to be found. */
  invoke(functionArn: string, payload: string): Promise<unknown>;
}

/** What became of an action, as its alarm's history says it. */
export async function runAction(action: string, turn: AlarmTurn, at: ActionPlace): Promise<string> {
  if (!/^arn:[^:]+:lambda:/.test(action))
    return `Action ${action} was not executed: local AWS calls functions only`;
  try {
    await at.invoke(action, JSON.stringify(eventOf(turn, at)));
    return `Successfully executed action ${action}`;
  } catch (thrown) {
    const why = thrown instanceof Error ? thrown.message : String(thrown);
    return `Failed to execute action ${action}. Received error: "${why}"`;
  }
}

/** CloudWatch user guide, "Invoke a Lambda function from an alarm". */
function eventOf({ alarm, from, atMs }: AlarmTurn, { account, region }: ActionPlace): object {
  const { spec, state, reason } = alarm;
  const timestamp = new Date(atMs).toISOString().replace("Z", "+0000");
  return {
    source: "aws.cloudwatch",
    alarmArn: `arn:aws:cloudwatch:${region}:${account}:alarm:${spec.name}`,
    accountId: account,
    time: timestamp,
    region,
    alarmData: {
      alarmName: spec.name,
      state: { value: state, reason, timestamp },
      previousState: { value: from.state, reason: from.reason },
      configuration: configurationOf(alarm),
    },
  };
}

function configurationOf({ spec }: Alarm): object {
  const { description, namespace, metric: name, dimensions, periodMs, statistic } = spec;
  const named = Object.fromEntries(dimensions.map(({ Name, Value }) => [Name, Value]));
  const metric = { namespace, name, dimensions: named };
  return {
    ...(description === null ? {} : { description }),
    metrics: [
      {
        id: "m1",
        metricStat: { metric, period: periodMs / 1_000, stat: statistic },
        returnData: true,
      },
    ],
  };
}
