// AWS's command line and boto3 as they are on this machine, always against a loopback endpoint.
import { execFile, execFileSync } from "node:child_process";
import { promisify } from "node:util";

const ENVIRONMENT = {
  PATH: process.env.PATH,
  AWS_ACCESS_KEY_ID: "AKIDEXAMPLE",
  AWS_SECRET_ACCESS_KEY: "secret",
  AWS_DEFAULT_REGION: "eu-west-1",
  AWS_CONFIG_FILE: "/dev/null",
  AWS_SHARED_CREDENTIALS_FILE: "/dev/null",
  AWS_EC2_METADATA_DISABLED: "true",
  AWS_PAGER: "",
};

function versionOf(program: string, args: string[]): string | null {
  try {
    return execFileSync(program, args, { encoding: "utf8", stdio: "pipe" }).trim() || null;
  } catch {
    return null;
  }
}

/** Newer versions speak JSON, those before 2.13 the Query protocol. */
export const AWS_CLIS = ["/usr/bin/aws", "aws"]
  .map((program) => ({ program, version: versionOf(program, ["--version"])?.split(" ")[0] ?? "" }))
  .filter(
    ({ version }, at, all) => version !== "" && all.findIndex((o) => o.version === version) === at,
  );

const BOTO3 = "import boto3; print(boto3.__version__)";
export const BOTOS = ["/usr/bin/python3", "python3"]
  .map((program) => ({ program, version: versionOf(program, ["-c", BOTO3]) ?? "" }))
  .filter(
    ({ version }, at, all) => version !== "" && all.findIndex((o) => o.version === version) === at,
  );

const run = promisify(execFile);

/** Its output as JSON; rejects with what it said on standard error. */
export async function aws(program: string, endpoint: string, args: string[]): Promise<unknown> {
  const all = ["--endpoint-url", endpoint, "--output", "json", ...args];
  const { stdout } = await run(program, all, { env: ENVIRONMENT });
  return stdout.trim() === "" ? null : JSON.parse(stdout);
}

/** A Python script's output as JSON; the endpoint is its first argument. */
export async function python(program: string, script: string, args: string[]): Promise<unknown> {
  const { stdout } = await run(program, [script, ...args], { env: ENVIRONMENT });
  return JSON.parse(stdout);
}
