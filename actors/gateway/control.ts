/**
 * What is said at the control door. A client opens a connection for one request and writes it as a
 * line of JSON; the gateway answers with any number of events and one result or error. Both sides
 * share the definitions of requests, and check what the other one sends.
 * @module
 */

import { z } from "zod";
import type { JsonValue } from "../kernel/json.ts";
import type { ControlFailure } from "./control_errors.ts";

/** Raised when an older program could misunderstand a newer one. */
export const CONTROL_VERSION = 1;

/** Longest line from a client: a pasted text has room, a flood has not. */
export const REQUEST_BYTES_MAX: number = 1024 * 1024;
/** Longest line from the gateway: an answer, or a whole list. */
export const ANSWER_BYTES_MAX: number = 32 * 1024 * 1024;

/** A request that both sides know, by its name and the shapes of what is said. */
export interface ControlRequest<Params, Result, Event = never, Input = never> {
  readonly name: string;
  readonly params: z.ZodType<Params>;
  readonly result: z.ZodType<Result>;
  /** What the gateway says before the result. */
  readonly event: z.ZodType<Event>;
  /** What the client may say after its request. */
  readonly input: z.ZodType<Input>;
  /** Time for the answer; null for a request that lasts as long as its client. */
  readonly timeoutMs: number | null;
}

/** Time for an answer, unless a request says otherwise. */
const ANSWER_TIMEOUT_MS = 30_000;

/** A request with one answer and nothing else. */
export function query<Params, Result>(
  name: string,
  { params, result }: {
    readonly params: z.ZodType<Params>;
    readonly result: z.ZodType<Result>;
  },
): ControlRequest<Params, Result> {
  const nothing = z.never();
  return { name, params, result, event: nothing, input: nothing, timeoutMs: ANSWER_TIMEOUT_MS };
}

/** The first line of a connection. */
export interface Opening {
  /** {@link CONTROL_VERSION} of the client. */
  readonly v: number;
  readonly request: string;
  readonly params: JsonValue;
  /** Proves that the client may read the state folder, where no socket file proves it. */
  readonly token?: string | undefined;
}

/** Checks a first line. */
export const openingSchema: z.ZodType<Opening> = z.object({
  v: z.int(),
  request: z.string(),
  params: z.json(),
  token: z.string().optional(),
});

/** A line of the gateway, as it comes. */
export type ReadAnswer =
  | { readonly event: JsonValue }
  | { readonly result: JsonValue }
  | { readonly error: { readonly code: string; readonly message: string } };

/** Checks a line of the gateway. */
export const answerSchema: z.ZodType<ReadAnswer> = z.union([
  z.object({ event: z.json() }),
  z.object({ result: z.json() }),
  z.object({ error: z.object({ code: z.string(), message: z.string() }) }),
]);

/** One line of the gateway, before it is written. */
export type Answer =
  | { readonly event: unknown }
  | { readonly result: unknown }
  | { readonly error: { readonly code: ControlFailure; readonly message: string } };

/** A connection between the door and a client, whichever way it was made. */
export interface ControlConnection {
  /** Bytes as they come; ends when the other side says no more. */
  readonly bytes: AsyncIterable<Uint8Array>;
  /** Resolves when the system has taken all of it. */
  write(text: string): Promise<void>;
  /** Ends both directions, and whatever is under way. */
  close(): void;
}

/** Where connections come in. */
export interface ControlListener extends AsyncDisposable {
  /** For people: a path or an address. */
  readonly place: string;
  /** Needed from every client; null where the file system keeps others out. */
  readonly token: string | null;
  readonly connections: AsyncIterable<ControlConnection>;
}

/** Zod's complaints in one line. */
export function complaint(error: z.ZodError): string {
  return error.issues.map(({ path, message }) =>
    path.length === 0 ? message : `${path.join(".")}: ${message}`
  ).join("; ");
}
