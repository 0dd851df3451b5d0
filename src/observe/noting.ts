// Reads of the control plane that never reject because of AWS: what could not be read is noted.
import { AwsFailure, type ControlPlane, type Json } from "../core/change.ts";

type Output = { readonly [key: string]: unknown };

/** Null = AWS refused it. */
export type Ask = (
  service: string,
  action: string,
  input: { readonly [key: string]: Json },
) => Promise<Output | null>;

/** Adds `ListFunctions: AccessDenied` to `unread`, each such text once. */
export function noting(control: ControlPlane, unread: string[]): Ask {
  return async (service, action, input) => {
    try {
      return await control.call(service, action, input);
    } catch (error) {
      if (!(error instanceof AwsFailure)) throw error;
      const text = `${action}: ${error.name}`;
      if (!unread.includes(text)) unread.push(text);
      return null;
    }
  };
}
