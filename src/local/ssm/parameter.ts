// A parameter as Parameter Store keeps it.

export interface Parameter {
  readonly name: string;
  readonly type: "String" | "StringList" | "SecureString";
  readonly value: string;
  readonly version: number;
  readonly modifiedMs: number;
}
