// Accounts as local AWSes play them, and a scenario with an environment for each.
import { cpSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { LocalCommand, Workplace } from "./command-line.ts";

const SHORT = fileURLToPath(new URL("../fixtures/short/", import.meta.url));

export const STAGING = "222222222222";
export const PRODUCTION = "111111111111";

export interface Account extends LocalCommand {
  readonly account: string;
}

/** The short shop, deployed in an account and reached by a domain of its own; `more` are flags. */
export async function playAccount(
  place: Workplace,
  account: string,
  domain: string,
  more: readonly string[] = [],
): Promise<Account> {
  const folder = mkdtempSync(join(place.dir, `account-${account}-`));
  cpSync(SHORT, folder, { recursive: true });
  const template = join(folder, "template.yaml");
  const yaml = readFileSync(template, "utf8").replace(
    "    Type: AWS::Serverless::HttpApi\n    Properties:\n",
    `    Type: AWS::Serverless::HttpApi\n    Properties:\n      Domain: { DomainName: ${domain} }\n`,
  );
  writeFileSync(template, yaml.replace("\nResources:\n", `\nResources:\n${distribution(account)}`));
  const args = ["local", "--template", template, "--account", account, ...more, "--json"];
  const running = place.start(args);
  await running.until(() => running.out.includes("\n"));
  return { running, account, ...(JSON.parse(running.out) as Omit<LocalCommand, "running">) };
}

/** Before the API, with a name of its own and a firewall. */
const distribution = (account: string): string => `  Edge:
    Type: AWS::CloudFront::Distribution
    Properties:
      DistributionConfig:
        Enabled: true
        Aliases: [www.${account}.example]
        WebACLId: arn:aws:wafv2:us-east-1:${account}:global/webacl/shop/1
        Origins:
          - { Id: api, DomainName: !Sub "\${Api}.execute-api.\${AWS::Region}.amazonaws.com" }
        DefaultCacheBehavior: { TargetOriginId: api, ViewerProtocolPolicy: allow-all }
`;

export interface EnvironmentText {
  readonly account: Account;
  /** Further lines of the environment, in YAML's flow style. */
  readonly more?: string;
}

let scenarios = 0;

/** A scenario folder; `body` is everything below `environments:`. */
export function rehearsal(
  place: Workplace,
  environments: { readonly [name: string]: EnvironmentText },
  body: string,
): string {
  const folder = join(place.dir, `rehearsal-${++scenarios}`);
  mkdirSync(folder);
  const lines = Object.entries(environments).map(
    ([
      name,
      {
        account: { account, endpoint },
        more = "",
      },
    ]) =>
      `  ${name}: { account: "${account}", aws-region: eu-west-1, endpoint: "${endpoint}",` +
      ` outputs: { cloudformation: local }${more === "" ? "" : `, ${more}`} }\n`,
  );
  const head = "gatecrash: 1\ntitle: Does the shop hold in an account?\nseed: 3\nenvironments:\n";
  writeFileSync(join(folder, "scenario.yaml"), `${head}${lines.join("")}${body}`);
  return folder;
}

/** A load on the shop's own URL; everything else is the test's. */
export const VISITOR = `allow: { hosts: ["{{outputs.ApiHost}}"], change: ["{{outputs.OpenArn}}"] }
limits: { duration: 30s, requests: 2000, in-flight: 200, undo: 20s }
generator: { lag-p99: 5s, dropped: 0, cpu: 100% }
phases: [{ before: 1500ms }, { gone: 6s }, { after: 1s }]
loads:
  visitor:
    rate: { at: 20/s }
    http: { url: "{{outputs.ApiUrl}}/open/1", timeout: 5s }
    routes: { open: "GET /open/{id}" }
observe: { reports: { functions: ["{{outputs.OpenArn}}"] }, wait: 20s }
accept:
  - visitor.dropped == 0 primary
  - visitor.errors.rate <= 10% during before
`;
