// On what a run was made, in words: no name and no address of the machine.
import { arch, availableParallelism, platform } from "node:os";

/** What a service says of itself in the environment of whatever it runs. */
const SERVICES = [
  ["GITHUB_ACTIONS", "GitHub Actions"],
  ["GITLAB_CI", "GitLab CI"],
  ["CODEBUILD_BUILD_ID", "AWS CodeBuild"],
  ["AWS_BATCH_JOB_ID", "AWS Batch"],
  ["ECS_CONTAINER_METADATA_URI_V4", "Amazon ECS"],
  ["KUBERNETES_SERVICE_HOST", "Kubernetes"],
  ["SLURM_JOB_ID", "Slurm"],
] as const;

type Environment = { readonly [name: string]: string | undefined };

/** `linux x64, 4 CPUs, Node 20.19.5, AWS Batch in eu-west-1`. */
export function machineText(env: Environment = process.env): string {
  const service = SERVICES.find(([name]) => (env[name] ?? "") !== "")?.[1];
  // Elsewhere the variable says where calls go, not where this machine stands.
  const isOnAws = service?.startsWith("A") === true || env.AWS_EXECUTION_ENV !== undefined;
  const region = isOnAws ? (env.AWS_REGION ?? env.AWS_DEFAULT_REGION ?? "") : "";
  const place = [service ?? (isOnAws ? "AWS" : ""), region].filter((part) => part !== "");
  const cpus = availableParallelism();
  return [
    `${platform()} ${arch()}`,
    cpus === 1 ? "1 CPU" : `${cpus} CPUs`,
    `Node ${process.versions.node}`,
    ...(place.length === 0 ? [] : [place.join(" in ")]),
  ].join(", ");
}
