/**
 * Failures of requests, in the shape that OpenAI's clients know.
 * @module
 */

import { GatewayError } from "../../kernel/errors.ts";

/** Which kind of failure, as clients tell them apart. */
export type ApiErrorType =
  | "invalid_request_error"
  | "authentication_error"
  | "permission_error"
  | "rate_limit_error"
  | "server_error";

/** What a failure says besides its message. */
export interface ApiErrorDetail {
  readonly status: number;
  readonly type?: ApiErrorType;
  /** The field of the request that is wrong. */
  readonly param?: string | undefined;
  /** Clients try again by themselves. What was worked on must not be repeated. @default false */
  readonly mayRepeat?: boolean;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A request that is answered with a failure; the message is for the program's people. */
export class ApiError extends GatewayError {
  override readonly name = "ApiError";
  readonly code: string;
  readonly recovery = "give_up";
  readonly detail: ApiErrorDetail;

  constructor(code: string, message: string, detail: ApiErrorDetail, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
    this.detail = detail;
  }

  /** The body. */
  get body(): { readonly error: Readonly<Record<string, string | null>> } {
    const { type = "invalid_request_error", param = null } = this.detail;
    return { error: { message: this.message, type, param, code: this.code } };
  }

  /** The whole answer. */
  response(): Response {
    const { status, mayRepeat = false, headers } = this.detail;
    return Response.json(this.body, {
      status,
      headers: { ...headers, "x-should-retry": String(mayRepeat) },
    });
  }
}

/** A request that cannot be understood. */
export function invalid(message: string, param?: string): ApiError {
  return new ApiError("invalid_request", message, { status: 400, param });
}

/** A request, or a file in it, with more bytes than are taken. */
export function tooLarge(what: string, bytesMax: number): ApiError {
  const text = `${what} is larger than ${bytesMax / (1024 * 1024)} MB`;
  return new ApiError("too_large", text, { status: 413 });
}

/** A text with more characters than are taken. */
export function tooLong(what: string, charsMax: number): ApiError {
  const text = `${what} is longer than ${charsMax.toLocaleString("en")} characters`;
  return new ApiError("too_large", text, { status: 413 });
}
