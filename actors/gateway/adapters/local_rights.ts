/**
 * What this process may do.
 * @module
 */

/** Whether it may start a program. */
export function mayRun(command: string): boolean {
  return Deno.permissions.querySync({ name: "run", command }).state === "granted";
}
