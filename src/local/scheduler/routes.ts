// EventBridge Scheduler's operations, by name, method and path.
import type { RestAnswer, RestCall, RestOperation } from "../lambda/rest-call.ts";
import { jsonBody } from "../lambda/rest-call.ts";
import type { RestRoute } from "../rest-routes.ts";
import { pageStart } from "../wire/said.ts";
import { audit, type World } from "../world.ts";
import { invalid } from "./errors.ts";
import { type Schedule, scheduleOf } from "./schedule.ts";
import type { KeptSchedule, ScheduleGroup } from "./schedule-table.ts";

const PAGE_MAX = 100;
const PAGE_RANGE = `Value at 'maxResults' failed to satisfy constraint: between 1 and ${PAGE_MAX}`;

const nameOf = ({ labels }: RestCall): string => labels.Name ?? "";
const groupOf = ({ query }: RestCall): string => query.get("groupName") ?? "default";

const arnOf = (world: World, { GroupName: group, Name: name }: Schedule): string =>
  `arn:aws:scheduler:${world.region}:${world.account}:schedule/${group}/${name}`;

const groupArnOf = (world: World, name: string): string =>
  `arn:aws:scheduler:${world.region}:${world.account}:schedule-group/${name}`;

/** Timestamps are seconds. */
const datesOf = ({ createdMs, modifiedMs }: { createdMs: number; modifiedMs: number }) => ({
  CreationDate: createdMs / 1_000,
  LastModificationDate: modifiedMs / 1_000,
});

const createSchedule: RestOperation = (world, call) => {
  const schedule = scheduleOf(nameOf(call), jsonBody(call.body));
  world.schedules.create(schedule);
  audit(world, "CreateSchedule", arnOf(world, schedule), { ...schedule });
  return { status: 200, body: { ScheduleArn: arnOf(world, schedule) } };
};

const updateSchedule: RestOperation = (world, call) => {
  const schedule = scheduleOf(nameOf(call), jsonBody(call.body));
  world.schedules.update(schedule);
  audit(world, "UpdateSchedule", arnOf(world, schedule), { ...schedule });
  return { status: 200, body: { ScheduleArn: arnOf(world, schedule) } };
};

const getSchedule: RestOperation = (world, call) => {
  const kept = world.schedules.get(groupOf(call), nameOf(call));
  const { schedule } = kept;
  return { status: 200, body: { Arn: arnOf(world, schedule), ...schedule, ...datesOf(kept) } };
};

const deleteSchedule: RestOperation = (world, call) => {
  const { schedule } = world.schedules.get(groupOf(call), nameOf(call));
  world.schedules.delete(schedule.GroupName, schedule.Name);
  audit(world, "DeleteSchedule", arnOf(world, schedule));
  return { status: 200, body: {} };
};

const listSchedules: RestOperation = (world, call) => {
  const group = call.query.get("ScheduleGroup");
  const prefix = call.query.get("NamePrefix") ?? "";
  const state = call.query.get("State");
  if (group !== null) world.schedules.group(group);
  const found = world.schedules.all().filter(({ schedule }) => {
    if (group !== null && schedule.GroupName !== group) return false;
    return schedule.Name.startsWith(prefix) && (state === null || schedule.State === state);
  });
  return page(call, "Schedules", found, (kept) => summaryOf(world, kept));
};

/** Neither expression, input nor description is in a list. */
function summaryOf(world: World, kept: KeptSchedule): object {
  const { Name, GroupName, State, Target } = kept.schedule;
  const Arn = arnOf(world, kept.schedule);
  return { Arn, Name, GroupName, State, ...datesOf(kept), Target: { Arn: Target.Arn } };
}

const createGroup: RestOperation = (world, call) => {
  world.schedules.createGroup(nameOf(call));
  const ScheduleGroupArn = groupArnOf(world, nameOf(call));
  audit(world, "CreateScheduleGroup", ScheduleGroupArn);
  return { status: 200, body: { ScheduleGroupArn } };
};

const groupView = (world: World, { name, createdMs }: ScheduleGroup): object => ({
  Arn: groupArnOf(world, name),
  Name: name,
  State: "ACTIVE",
  ...datesOf({ createdMs, modifiedMs: createdMs }),
});

const getGroup: RestOperation = (world, call) => ({
  status: 200,
  body: groupView(world, world.schedules.group(nameOf(call))),
});

const listGroups: RestOperation = (world, call) => {
  const prefix = call.query.get("NamePrefix") ?? "";
  const found = world.schedules.groups().filter(({ name }) => name.startsWith(prefix));
  return page(call, "ScheduleGroups", found, (group) => groupView(world, group));
};

const deleteGroup: RestOperation = (world, call) => {
  world.schedules.deleteGroup(nameOf(call));
  audit(world, "DeleteScheduleGroup", groupArnOf(world, nameOf(call)));
  return { status: 200, body: {} };
};

function page<T>(
  { query }: RestCall,
  member: string,
  all: readonly T[],
  view: (of: T) => object,
): RestAnswer {
  const start = pageStart(query.get("NextToken"));
  const max = Number(query.get("MaxResults") ?? PAGE_MAX);
  if (!Number.isInteger(max) || max < 1 || max > PAGE_MAX) throw invalid(PAGE_RANGE);
  const next = start + max;
  const more = next < all.length ? { NextToken: String(next) } : {};
  return { status: 200, body: { [member]: all.slice(start, next).map(view), ...more } };
}

const route = (
  name: string,
  method: string,
  path: string,
  operation: RestOperation,
  query: { readonly [member: string]: string } = {},
): RestRoute => ({ service: "scheduler", name, method, path, operation, query });

const GROUP = { GroupName: "groupName" };
const PAGES = { NamePrefix: "NamePrefix", NextToken: "NextToken", MaxResults: "MaxResults" };

export const SCHEDULER_ROUTES: readonly RestRoute[] = [
  route("CreateSchedule", "POST", "/schedules/{Name}", createSchedule),
  route("UpdateSchedule", "PUT", "/schedules/{Name}", updateSchedule),
  route("GetSchedule", "GET", "/schedules/{Name}", getSchedule, GROUP),
  route("DeleteSchedule", "DELETE", "/schedules/{Name}", deleteSchedule, GROUP),
  route("ListSchedules", "GET", "/schedules", listSchedules, {
    ...PAGES,
    GroupName: "ScheduleGroup",
    State: "State",
  }),
  route("CreateScheduleGroup", "POST", "/schedule-groups/{Name}", createGroup),
  route("GetScheduleGroup", "GET", "/schedule-groups/{Name}", getGroup),
  route("DeleteScheduleGroup", "DELETE", "/schedule-groups/{Name}", deleteGroup),
  route("ListScheduleGroups", "GET", "/schedule-groups", listGroups, PAGES),
];
