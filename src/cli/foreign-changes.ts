// What faults would change has to be where the run acts: a name alone is another thing elsewhere.
import { parseArn } from "../core/command.ts";
import { GatecrashError } from "../core/error.ts";
import type { Scenario } from "../core/scenario.ts";
import { resourcesOf } from "../scenario/fault-shapes.ts";
import type { System } from "./system-contract.ts";

/**
 * One `refused` for each ARN of another account or region. Calls name a resource without them, so
 * the one that bears this name here would be changed, which nobody has declared.
 */
export function foreignChanges(
  { faults, file }: Scenario,
  { account, region }: Pick<System, "account" | "region">,
): GatecrashError[] {
  return faults.flatMap((fault) =>
    resourcesOf(fault).flatMap(([arn]) => {
      const at = parseArn(arn);
      if (at === null || (at.account === account && at.region === region)) return [];
      const text = `fault \`${fault.name}\` would change ${arn}, and the run acts in account`;
      return [
        new GatecrashError("refused", `${text} ${account}, ${region}`, {
          hint: "name a resource of the environment's account and region, best by an output",
          place: { file, line: fault.line },
        }),
      ];
    }),
  );
}
