// The JSON Schema that editors use, made from the schema that validates.
import { z } from "zod";
import { scenarioSchema } from "./schema.ts";

/** Content of schema/scenario.schema.json, with a newline at the end. */
export function scenarioJsonSchema(): string {
  const made = z.toJSONSchema(scenarioSchema, { io: "input", unrepresentable: "any" });
  const { $schema, ...rest } = made;
  const schema = { $schema, title: "Gatecrash scenario", ...rest };
  return `${JSON.stringify(schema, null, 2)}\n`;
}
