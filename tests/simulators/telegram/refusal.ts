/**
 * An answer of the Bot API that says no.
 * @module
 */

/** What the answer carries. */
export interface RefusalParameters {
  readonly retry_after?: number;
  readonly migrate_to_chat_id?: number;
}

/** Thrown by what handles a method. */
export class Refusal extends Error {
  override readonly name = "Refusal";
  readonly code: number;
  readonly parameters: RefusalParameters | undefined;

  constructor(code: number, description: string, parameters?: RefusalParameters) {
    super(description);
    this.code = code;
    this.parameters = parameters;
  }
}

/** A refusal of the request as it stands. */
export function badRequest(what: string): Refusal {
  return new Refusal(400, `Bad Request: ${what}`);
}
