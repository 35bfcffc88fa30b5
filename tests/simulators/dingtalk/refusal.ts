/**
 * An answer of DingTalk's that says no.
 * @module
 */

/** Thrown by what handles a call. */
export class Refusal extends Error {
  override readonly name = "Refusal";
  readonly status: number;
  readonly code: string;
  readonly retryAfterS: number | undefined;

  constructor(status: number, code: string, message: string, retryAfterS?: number) {
    super(message);
    this.status = status;
    this.code = code;
    this.retryAfterS = retryAfterS;
  }

  /** As the newer API answers. */
  get response(): Response {
    const body = { requestid: "request-1", code: this.code, message: this.message };
    const headers = new Headers();
    if (this.retryAfterS !== undefined) headers.set("retry-after", String(this.retryAfterS));
    return Response.json(body, { status: this.status, headers });
  }
}

/** A token that is none, or none any more. */
export function badToken(): Refusal {
  return new Refusal(401, "InvalidAuthentication", "不合法的access_token");
}

/** Client id and secret do not belong together. */
export function badClient(): Refusal {
  return new Refusal(400, "invalidClientIdOrSecret", "无效的clientId或者clientSecret");
}
