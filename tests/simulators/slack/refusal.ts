/**
 * What Slack answers instead of doing what it was asked.
 * @module
 */

/** A method's `error`. */
export class Refusal extends Error {
  override readonly name = "Refusal";
  /** Slack's word. */
  readonly error: string;
  readonly needed: string | undefined;
  /** With HTTP 429. */
  readonly retryAfterS: number | undefined;

  constructor(
    error: string,
    options: { readonly needed?: string; readonly retryAfterS?: number } = {},
  ) {
    super(error);
    this.error = error;
    this.needed = options.needed;
    this.retryAfterS = options.retryAfterS;
  }
}
