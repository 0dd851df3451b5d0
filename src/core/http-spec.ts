// An http target of a scenario: where, as whom, over which TLS, with which paths.

/**
 * Text that may hold `{{outputs.X}}`, `{{env.X}}` or `{{secret.…}}`; `resolve` closes the outputs.
 */
export type Ref = string;

export interface HttpSpec {
  readonly kind: "http";
  readonly url: Ref;
  readonly method: string | null;
  readonly headers: readonly (readonly [string, Ref])[];
  readonly timeoutUs: number;
  readonly auth?: AuthSpec;
  /** Absolute path of the authorities' PEM. */
  readonly tls?: { readonly ca: string | null; readonly serverName: string | null };
  /** Beginnings of captured paths and what they become, the longest first. */
  readonly rewrites?: readonly { readonly from: string; readonly to: string }[];
  /** Why the host is the account's, where nothing can prove it. */
  readonly unverifiedHost?: string;
  /** `host:port` to connect to in place of the URL's: where a rehearsal has put a domain. */
  readonly connectTo?: string;
}

/** As whom an http load sends; every Ref may be secret and is closed only in memory. */
export type AuthSpec =
  | { readonly kind: "static"; readonly header: string; readonly value: Ref }
  | { readonly kind: "iam"; readonly service: "execute-api" | "lambda" }
  | {
      readonly kind: "oauth";
      readonly header: string;
      readonly tokenUrl: Ref;
      readonly clientId: Ref;
      readonly clientSecret: Ref;
      readonly scope: string | null;
      readonly audience: string | null;
    }
  | {
      readonly kind: "cognito";
      readonly header: string;
      readonly clientId: Ref;
      readonly clientSecret: Ref | null;
      readonly username: Ref;
      readonly password: Ref;
      readonly token: "id" | "access";
    }
  | {
      readonly kind: "command";
      readonly header: string;
      readonly argv: readonly string[];
      readonly everyUs: number;
    };
