// Reads the captured fields of a resource, and whether AWS is still at work on it.
import { AwsFailure, type ControlPlane, type Fields, type ReadBack } from "../core/change.ts";
import { captureFields, showField } from "../core/fields.ts";

export interface FieldsNow {
  readonly fields: Fields;
  /** `State is Disabling`: what is read now is not what will be; "" = settled. */
  readonly transition: string;
  /** Of the whole resource as it was read; "" where its service has none. */
  readonly revision: string;
}

async function answerOf(
  control: ControlPlane,
  { service, action, input, absent = [] }: { readonly service: string } & ReadBack,
): Promise<Awaited<ReturnType<ControlPlane["call"]>>> {
  try {
    return await control.call(service, action, input);
  } catch (error) {
    if (error instanceof AwsFailure && absent.includes(error.name)) return {};
    throw error;
  }
}

/** Rejects with an AwsFailure. */
export async function readFields(
  control: ControlPlane,
  from: { readonly service: string } & ReadBack,
): Promise<FieldsNow> {
  const { fields, unsettled = {} } = from;
  const output = await answerOf(control, from);
  const states = captureFields(output, Object.keys(unsettled));
  const busy = Object.keys(states).find((name) => unsettled[name]?.includes(String(states[name])));
  const transition = busy === undefined ? "" : `${busy} is ${showField(states, busy)}`;
  const { RevisionId: revision } = output;
  return {
    fields: captureFields(output, fields),
    transition,
    revision: typeof revision === "string" ? revision : "",
  };
}
