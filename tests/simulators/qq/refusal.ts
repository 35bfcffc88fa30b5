/**
 * An answer that says no, with the platform's codes.
 * @module
 */

/** The platform does not do it. */
export class Refusal extends Error {
  override readonly name = "Refusal";
  readonly status: number;
  readonly code: number;

  constructor(code: number, message: string, status: number = 400) {
    super(message);
    this.code = code;
    this.status = status;
  }
}

/** A refusal as it goes out. @param retryAfterSeconds the wait that is asked for */
export function refused(
  { status, code, message }: Pick<Refusal, "status" | "code" | "message">,
  retryAfterSeconds?: number,
): Response {
  const headers = new Headers();
  if (retryAfterSeconds !== undefined) headers.set("retry-after", String(retryAfterSeconds));
  const body = { message, code, err_code: code, trace_id: "trace" };
  return Response.json(body, { status, headers });
}
