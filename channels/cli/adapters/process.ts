/**
 * This process: its signals, its faults and its end.
 * @module
 */

import { setTimeout } from "node:timers/promises";

const SIGNALS: readonly Deno.Signal[] = Deno.build.os === "windows"
  ? ["SIGINT"]
  : ["SIGINT", "SIGTERM", "SIGHUP"];

/** What a shell expects of a process that a signal ended: 128 and the signal's number. */
const SIGNAL_EXIT_CODES: ReadonlyMap<Deno.Signal, number> = new Map([
  ["SIGINT", 130],
  ["SIGTERM", 143],
  ["SIGHUP", 129],
]);

/** The exit code for a signal that ended a command before it was done. */
export function exitCodeFor(signal: Deno.Signal): number {
  return SIGNAL_EXIT_CODES.get(signal) ?? 1;
}

/**
 * Resolves with the first signal that asks this process to end; a second one ends it at once, a
 * hang-up aside: of a connection that was cut the system and the shell both tell, and nobody is
 * there to be in a hurry.
 *
 * @param until when it aborts, signals are left to others
 */
export function untilAskedToStop(until?: AbortSignal): Promise<Deno.Signal> {
  const { promise, resolve } = Promise.withResolvers<Deno.Signal>();
  let hasBeenAsked = false;
  for (const signal of SIGNALS) {
    const listen = () => {
      if (hasBeenAsked && signal !== "SIGHUP") Deno.exit(exitCodeFor(signal));
      hasBeenAsked = true;
      resolve(signal);
    };
    Deno.addSignalListener(signal, listen);
    until?.addEventListener("abort", () => Deno.removeSignalListener(signal, listen));
  }
  return promise;
}

/** A signal that ends what a command shows again and again. */
export interface Leaving extends Disposable {
  readonly signal: AbortSignal;
}

/** Aborts at the first signal that asks this process to end; disposing lets signals be. */
export function leaveOnSignal(): Leaving {
  const leaving = new AbortController();
  const leave = () => leaving.abort();
  for (const signal of SIGNALS) Deno.addSignalListener(signal, leave);
  return {
    signal: leaving.signal,
    [Symbol.dispose]: () => {
      for (const signal of SIGNALS) Deno.removeSignalListener(signal, leave);
    },
  };
}

/**
 * Tells of errors that nobody caught, instead of letting them end the process: what failed is one
 * library's callback, and all the rest can go on.
 */
export function reportUncaught(report: (error: unknown) => void): void {
  globalThis.addEventListener("unhandledrejection", (event) => {
    event.preventDefault();
    report(event.reason);
  });
  globalThis.addEventListener("error", (event) => {
    event.preventDefault();
    report(event.error);
  });
}

/** Waits a little before the next look at something that gives no notice. */
export async function pause(delayMs: number): Promise<void> {
  await setTimeout(delayMs);
}

/** Ends the process: nothing that was forgotten may keep it alive. */
export function exit(code: number): never {
  Deno.exit(code);
}

/** What a person types to run this program, before the name of a command. */
export function programWords(): string {
  return Deno.build.standalone ? Deno.execPath() : "deno run -A mod.ts";
}
