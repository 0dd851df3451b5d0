// What functions of a template say about when they are called: schedules of their own.
import { type Place, targetNameOf } from "./names.ts";
import type { TemplateSource } from "./read-yaml.ts";
import type { FunctionResource } from "./schema.ts";
import type { ScheduleSpec } from "./types.ts";

export function schedulesOf(
  functions: ReadonlyMap<string, FunctionResource>,
  { account, region }: Place,
  source: TemplateSource,
): ScheduleSpec[] {
  return [...functions].flatMap(([id, { Properties }]) =>
    Object.entries(Properties.Events ?? {}).flatMap(([event, declared]): ScheduleSpec[] => {
      if (declared.Type !== "ScheduleV2") return [];
      const { Name: name = `local-${id}${event}`, Input, ...given } = declared.Properties;
      const functionName = targetNameOf(id, Properties);
      const target = {
        Arn: `arn:aws:lambda:${region}:${account}:function:${functionName}`,
        RoleArn: `arn:aws:iam::${account}:role/local-${id}${event}Role`,
        ...(Input === undefined ? {} : { Input }),
      };
      const request = { FlexibleTimeWindow: { Mode: "OFF" }, ...given, Target: target };
      const place = source.placeOf(["Resources", id, "Properties", "Events", event]);
      return [{ name, request, place }];
    }),
  );
}
