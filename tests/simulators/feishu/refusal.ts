/**
 * How the platform says no: a code, an HTTP status, sometimes headers.
 * @module
 */

import type { z } from "zod";
import { GatewayError } from "../../../actors/kernel/errors.ts";
import type { JsonObject } from "../../../actors/kernel/json.ts";

/** What else a refusal may carry. */
export interface RefusalOptions {
  /** @default 400 */
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Stands in the answer's `error`, beside the log id. */
  readonly details?: JsonObject;
}

/** Thrown by a route; the server turns it into `{code, msg, error}`. */
export class Refusal extends GatewayError {
  override readonly name = "Refusal";
  readonly code = "platform_refused";
  readonly recovery = "give_up";
  readonly platformCode: number;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly details: JsonObject;

  constructor(platformCode: number, message: string, options: RefusalOptions = {}) {
    super(message);
    this.platformCode = platformCode;
    this.status = options.status ?? 400;
    this.headers = options.headers ?? {};
    this.details = options.details ?? {};
  }
}

/** The platform's code for JSON of a wrong type, in every API. */
export const CODE_WRONG_TYPE = 9499;

/**
 * The value in the schema's shape.
 *
 * @param missingCode the API's own code for a missing or bad parameter
 * @throws {Refusal}
 */
export function parseOrRefuse<T>(schema: z.ZodType<T>, value: unknown, missingCode: number): T {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  const isWrongType = issue?.code === "invalid_type" && !issue.message.endsWith("undefined");
  const where = issue?.path.join(".") || "body";
  throw new Refusal(
    isWrongType ? CODE_WRONG_TYPE : missingCode,
    `invalid parameter ${where}: ${issue?.message ?? "bad value"}`,
  );
}

/**
 * A field that holds JSON as text.
 *
 * @throws {Refusal} with `code` when it is none
 */
export function parseJsonOrRefuse(text: string, what: string, code: number): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new Refusal(code, `${what} is not a JSON string`);
  }
}
