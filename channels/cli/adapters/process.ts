/**
 * This process: its signals and its end.
 * @module
 */

const SIGNALS: readonly Deno.Signal[] = Deno.build.os === "windows"
  ? ["SIGINT"]
  : ["SIGINT", "SIGTERM", "SIGHUP"];

/** Resolves with the first signal that asks this process to end; a second one ends it at once. */
export function untilAskedToStop(): Promise<Deno.Signal> {
  const { promise, resolve } = Promise.withResolvers<Deno.Signal>();
  let hasBeenAsked = false;
  for (const signal of SIGNALS) {
    Deno.addSignalListener(signal, () => {
      if (hasBeenAsked) Deno.exit(signal === "SIGINT" ? 130 : 143);
      hasBeenAsked = true;
      resolve(signal);
    });
  }
  return promise;
}

/** Ends the process: nothing that was forgotten may keep it alive. */
export function exit(code: number): never {
  Deno.exit(code);
}
