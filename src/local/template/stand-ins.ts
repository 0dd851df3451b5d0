// Resources that local AWS does not run: some by their type, others because the template says so.
import type { Json } from "../../core/change.ts";
import type { Frame } from "./frame.ts";
import type { NamedResource, Place } from "./names.ts";

/** Types without a part in what a load meets: permissions, dashboards, what alarms call. */
const WITHOUT_PART: readonly string[] = [
  ...["AWS::ApiGateway::Account", "AWS::ApplicationAutoScaling::ScalableTarget"],
  ...["AWS::ApplicationAutoScaling::ScalingPolicy", "AWS::CDK::Metadata"],
  ...["AWS::CertificateManager::Certificate", "AWS::CloudWatch::Dashboard"],
  ...["AWS::CodeDeploy::Application", "AWS::CodeDeploy::DeploymentGroup"],
  ...["AWS::IAM::ManagedPolicy", "AWS::IAM::Policy"],
  ...["AWS::KMS::Alias", "AWS::KMS::Key", "AWS::Logs::MetricFilter", "AWS::Logs::ResourcePolicy"],
  ...["AWS::Logs::SubscriptionFilter", "AWS::Route53::RecordSet", "AWS::S3::BucketPolicy"],
  ...["AWS::SNS::Subscription", "AWS::SNS::Topic", "AWS::SNS::TopicPolicy"],
];

/** The template says that it is for AWS alone. */
const isLeftOut = ({ Metadata }: Frame["Resources"][string]): boolean =>
  (Metadata?.Gatecrash as { Local?: Json } | undefined)?.Local === false;

export interface Parted {
  readonly frame: Frame;
  /** Logical id → type of what is named here and nothing else. */
  readonly standIns: ReadonlyMap<string, string>;
}

/** The frame without them, and who they were: others may still refer to them. */
export function withoutStandIns(frame: Frame): Parted {
  const all = Object.entries(frame.Resources);
  const isOne = ([, resource]: (typeof all)[number]): boolean =>
    WITHOUT_PART.includes(resource.Type) || isLeftOut(resource);
  const run = all.filter((entry) => !isOne(entry)).map(([id, one]) => [id, withoutEvents(one)]);
  return {
    frame: { ...frame, Resources: Object.fromEntries(run) },
    standIns: new Map(all.filter(isOne).map(([id, { Type }]) => [id, Type])),
  };
}

/** Without the events that `Metadata.Gatecrash.IgnoreEvents` names. */
function withoutEvents(resource: Frame["Resources"][string]): Frame["Resources"][string] {
  const { Metadata, Properties } = resource;
  const { IgnoreEvents: ignored } = (Metadata?.Gatecrash ?? {}) as { IgnoreEvents?: Json };
  const events = Properties?.Events;
  if (!Array.isArray(ignored) || typeof events !== "object" || events === null) return resource;
  const kept = Object.entries(events).filter(([name]) => !ignored.includes(name));
  return { ...resource, Properties: { ...Properties, Events: Object.fromEntries(kept) } };
}

/** A name and an ARN of the right form; no attribute of them leads anywhere. */
export function standInNames(
  { standIns }: Parted,
  { region, account }: Place,
): [id: string, NamedResource][] {
  return [...standIns].map(([id, type]) => {
    const service = (type.split("::")[1] ?? "").toLowerCase();
    const arn = `arn:aws:${service}:${region}:${account}:local-${id}`;
    const name = service === "sns" || service === "certificatemanager" ? arn : `local-${id}`;
    return [id, { type, name, attributes: { Arn: arn, TopicArn: arn, Id: `local-${id}` } }];
  });
}
