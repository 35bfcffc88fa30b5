/**
 * What goes over the port between an actor system and a Worker, in both directions.
 * @module
 */

import { AskError, type AskFailure, GatewayError, type Recovery } from "./errors.ts";

/** An error as plain data. */
export interface ErrorData {
  readonly name: string;
  readonly code: string;
  readonly message: string;
  readonly stack: string;
  readonly recovery: Recovery;
  /** Further fields of the error that are plain values (`retryAfterMs`). */
  readonly details: { readonly [key: string]: string | number | boolean };
}

/** Why a Worker ends: asked to, its actor stopped itself, or code in it ended the thread. */
export type Farewell = "stopped" | "closed" | "exited";

/** Messages that count against the credit, numbered from 1 in each direction. */
export type Cargo =
  | { readonly kind: "tell"; readonly sequence: number; readonly body: unknown }
  | {
    readonly kind: "ask";
    readonly sequence: number;
    readonly ask: number;
    readonly body: unknown;
  };

/** What the two ends tell each other about their lives. */
export type Signal =
  | { readonly kind: "ready" }
  | { readonly kind: "stop" }
  | { readonly kind: "beat" }
  | { readonly kind: "beat_back"; readonly deadLetters: number }
  | { readonly kind: "fault"; readonly error: ErrorData }
  | { readonly kind: "goodbye"; readonly farewell: Farewell };

/** Everything that goes over the port. */
export type Envelope =
  | Cargo
  | Signal
  | { readonly kind: "ack"; readonly upTo: number }
  | { readonly kind: "answer"; readonly ask: number; readonly value: unknown }
  | { readonly kind: "refusal"; readonly ask: number; readonly error: ErrorData };

/** An error of the other side of a port, made anew. */
export class RemoteError extends GatewayError {
  override readonly name = "RemoteError";
  readonly code: string;
  readonly recovery: Recovery;
  /** Plain fields that the original carried. */
  readonly details: ErrorData["details"];

  constructor(data: ErrorData) {
    super(data.message);
    this.code = data.code;
    this.recovery = data.recovery;
    this.details = data.details;
    this.stack = data.stack;
  }
}

const ASK_FAILURES: ReadonlySet<string> = new Set<AskFailure>([
  "ask_timeout",
  "ask_refused",
  "ask_closed",
  "ask_failed",
  "ask_aborted",
  "worker_died",
]);

/** The error as data that survives a structured clone. */
export function encodeError(error: Error): ErrorData {
  const isOurs = error instanceof GatewayError;
  const details: Record<string, string | number | boolean> = {};
  for (const [key, value] of Object.entries(error)) {
    if (key === "name" || key === "code" || key === "recovery") continue;
    if (typeof value === "string" || typeof value === "number" || typeof value === "boolean") {
      details[key] = value;
    }
  }
  return {
    name: error.name,
    code: isOurs ? error.code : "foreign",
    message: error.message,
    stack: error.stack ?? "",
    recovery: isOurs ? error.recovery : "restart",
    details,
  };
}

/** The error that was encoded: an `AskError` stays one, all others become a `RemoteError`. */
export function decodeError(data: ErrorData): AskError | RemoteError {
  return isAskFailure(data.code) ? new AskError(data.code, data.message) : new RemoteError(data);
}

/** The envelope that came over the port, or undefined when it is none. */
export function parseEnvelope(data: unknown): Envelope | undefined {
  if (!isRecord(data)) return undefined;
  const { kind, ask, upTo, error, body, value } = data;
  switch (kind) {
    case "tell":
    case "ask":
      return parseCargo(data, kind, body);
    case "ack":
      return isCount(upTo) ? { kind, upTo } : undefined;
    case "answer":
      return isCount(ask) ? { kind, ask, value } : undefined;
    case "refusal":
      return isCount(ask) && isErrorData(error) ? { kind, ask, error } : undefined;
    default:
      return parseSignal(data);
  }
}

function parseCargo(
  { sequence, ask }: Readonly<Record<string, unknown>>,
  kind: Cargo["kind"],
  body: unknown,
): Cargo | undefined {
  if (!isCount(sequence)) return undefined;
  if (kind === "tell") return { kind, sequence, body };
  return isCount(ask) && isRecord(body) ? { kind, sequence, ask, body } : undefined;
}

function parseSignal(data: Readonly<Record<string, unknown>>): Signal | undefined {
  const { kind, deadLetters, error, farewell } = data;
  switch (kind) {
    case "ready":
    case "stop":
    case "beat":
      return { kind };
    case "beat_back":
      return isCount(deadLetters) ? { kind, deadLetters } : undefined;
    case "fault":
      return isErrorData(error) ? { kind, error } : undefined;
    case "goodbye":
      return farewell === "stopped" || farewell === "closed" || farewell === "exited"
        ? { kind, farewell }
        : undefined;
    default:
      return undefined;
  }
}

function isErrorData(value: unknown): value is ErrorData {
  return isRecord(value) && typeof value["name"] === "string" &&
    typeof value["code"] === "string" && typeof value["message"] === "string" &&
    typeof value["stack"] === "string" && isRecovery(value["recovery"]) &&
    isRecord(value["details"]) && Object.values(value["details"]).every(isPlainValue);
}

function isPlainValue(value: unknown): boolean {
  return typeof value === "string" || typeof value === "number" || typeof value === "boolean";
}

function isRecovery(value: unknown): value is Recovery {
  return value === "retry" || value === "restart" || value === "give_up";
}

function isAskFailure(code: string): code is AskFailure {
  return ASK_FAILURES.has(code);
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}

/** Whether a value is an object whose fields can be looked at. */
export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null;
}
