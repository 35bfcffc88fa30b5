/**
 * What the platform says instead of doing something.
 * @module
 */

import type { JsonObject } from "../../../actors/kernel/json.ts";

/** An answer with an error. */
export class Refusal extends Error {
  override readonly name = "Refusal";
  readonly status: number;
  readonly body: JsonObject;
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    status: number,
    code: number,
    message: string,
    { details = {}, headers = {} }: {
      readonly details?: JsonObject;
      readonly headers?: Readonly<Record<string, string>>;
    } = {},
  ) {
    super(message);
    this.status = status;
    this.body = { code, message, ...details };
    this.headers = headers;
  }
}

/** A field of the body breaks a rule. */
export function invalidForm(field: string, rule: string, message: string): Refusal {
  const errors = { [field]: { _errors: [{ code: rule, message }] } };
  return new Refusal(400, 50035, "Invalid Form Body", { details: { errors } });
}
