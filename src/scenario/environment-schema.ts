// The schema of `environments:`: an account, who acts in it for which purpose, and what it reaches.
import { z } from "zod";
import { notifySchema } from "./notify-schema.ts";
import { object, path, positiveDuration, text } from "./scalars.ts";

const roleArn = text.regex(
  /^arn:aws[a-z-]*:iam::\d{12}:role\/.+$/,
  "a role reads like arn:aws:iam::222222222222:role/name",
);

const identity = object({
  profile: text
    .optional()
    .describe("Of your AWS configuration: SSO, keys, web identity, whatever it names."),
  role: roleArn.optional().describe("Taken on with the profile's or the shell's credentials."),
  "external-id": text.optional().describe("Said when the role is taken; by reference if secret."),
  via: z.array(roleArn).optional().describe("Roles to be taken before this one, in order."),
  "web-identity": path
    .optional()
    .describe("File of an OIDC token with which the first role is taken, read anew each time."),
  session: positiveDuration.optional().describe("Length of the role's session. Default 1h."),
}).describe("Who acts: by default the credentials of the shell.");

export const PURPOSES = ["load", "observe", "logs", "inject", "restore"] as const;

const account = z
  .string({ error: () => 'an account id must stand in quotes: "123456789012"' })
  .regex(/^\d{12}$/, "an account id has 12 digits");

const logs = object({
  account: account.describe("Whose identity `logs` reads them."),
  "aws-region": text.optional().describe("Of the log groups there. Default: the environment's."),
  groups: text
    .optional()
    .describe(
      "`linked` (read where they are, over CloudWatch's cross-account observability), or the " +
        "name of a copy as a centralization rule writes it. Default: the same name.",
    ),
}).describe("Another account that has the log groups; without it `observe` reads them.");

export const OUTPUT_SOURCES = ["cloudformation", "terraform", "cdk", "ssm"] as const;

export const environmentSchema = object({
  account,
  "aws-region": text,
  outputs: z
    .partialRecord(z.enum(OUTPUT_SOURCES), text)
    .optional()
    .describe("Of a stack, of files, or of parameters below a path."),
  logs: logs.optional(),
  identities: z
    .partialRecord(z.enum(PURPOSES), identity)
    .optional()
    .describe("By purpose; default: the credentials of the shell."),
  production: z
    .boolean()
    .optional()
    .describe("True: a run needs --yes-production ACCOUNT, whatever its names say."),
  notify: notifySchema.optional().describe("In place of the scenario's; [] = nobody is told."),
  endpoint: text
    .optional()
    .describe("Rehearsal: a local AWS on this machine that plays the account."),
}).describe("An account and region; nothing else is contacted there.");

export type RawEnvironment = z.output<typeof environmentSchema>;
export type RawIdentity = z.output<typeof identity>;
export type RawLogs = z.output<typeof logs>;
