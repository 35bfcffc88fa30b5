/**
 * What the app may do: permissions are switched on by its owner on the console.
 * @module
 */

import { Refusal } from "./refusal.ts";

/** The platform's code for a call without its permission. */
const CODE_NO_PERMISSION = 99991672;

/** Everything is granted, except what a test takes away. */
export class Permissions {
  /** Scopes that the app lacks. */
  readonly missing: Set<string>;
  readonly #appId: string;

  constructor(appId: string, missing: readonly string[] = []) {
    this.#appId = appId;
    this.missing = new Set(missing);
  }

  /**
   * Checks that one of `scopes` is granted.
   *
   * @throws {Refusal} 99991672 with the scopes that would do, and where to switch them on
   */
  check(scopes: readonly string[]): void {
    if (scopes.length === 0 || scopes.some((scope) => !this.missing.has(scope))) return;
    const url = `https://open.feishu.cn/app/${this.#appId}/auth?q=${scopes.join(",")}`;
    const words = "Access denied. One of the following scopes is required";
    throw new Refusal(CODE_NO_PERMISSION, `${words}: [${scopes.join(", ")}]. ${url}`, {
      details: {
        permission_violations: scopes.map((subject) => ({
          type: "action_scope_required",
          subject,
        })),
      },
    });
  }
}
