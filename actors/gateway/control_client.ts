/**
 * The client's side of the control door.
 * @module
 */

import { z } from "zod";
import type { Clock } from "../kernel/clock.ts";
import { asError } from "../kernel/errors.ts";
import {
  ANSWER_BYTES_MAX,
  answerSchema,
  complaint,
  CONTROL_VERSION,
  type ControlConnection,
  type ControlRequest,
} from "./control.ts";
import { ControlError } from "./control_errors.ts";
import { LineCutter, parseLine } from "./control_lines.ts";

/** Beyond the door's own limit, so that its word comes first. */
const GRACE_MS = 2_000;

/** A way to the door of a running gateway. */
export interface ControlPeer {
  readonly connection: ControlConnection;
  /** What the door wants to see; null where it wants nothing. */
  readonly token: string | null;
}

/** A request under way. */
export interface OpenCall<Result, Input> {
  /** Rejects with a {@link ControlError}. */
  readonly result: Promise<Result>;
  /** Says more; rejects when the connection is gone. */
  say(input: Input): Promise<void>;
  /** Hangs up. */
  close(): void;
}

/** Sends a request and listens to what comes of it. */
export function openCall<Params, Result, Event, Input>(
  { connection, token }: ControlPeer,
  request: ControlRequest<Params, Result, Event, Input>,
  params: Params,
  onEvent: (event: Event) => void,
): OpenCall<Result, Input> {
  const write = (value: unknown) => connection.write(`${JSON.stringify(value)}\n`);
  const opening = {
    v: CONTROL_VERSION,
    request: request.name,
    params,
    ...(token !== null && { token }),
  };
  const result = converse({ connection, request, onEvent, open: () => write(opening) });
  return { result, say: write, close: () => connection.close() };
}

/**
 * Asks for one answer.
 *
 * @throws {ControlError}
 */
export async function askDoor<Params, Result>(
  peer: ControlPeer,
  request: ControlRequest<Params, Result>,
  params: Params,
  clock: Clock,
): Promise<Result> {
  const call = openCall(peer, request, params, () => {});
  if (request.timeoutMs === null) return await call.result;
  const { promise: late, reject } = Promise.withResolvers<never>();
  const limit = clock.setTimer(request.timeoutMs + GRACE_MS, () => {
    reject(new ControlError("control_timeout", "Cannot reach the gateway: it gives no answer"));
    call.close();
  });
  return await Promise.race([call.result, late]).finally(() => limit.cancel());
}

interface Conversation<Result, Event> {
  readonly connection: ControlConnection;
  readonly request: Pick<ControlRequest<never, Result, Event, never>, "name" | "event" | "result">;
  readonly onEvent: (event: Event) => void;
  readonly open: () => Promise<void>;
}

async function converse<Result, Event>(
  { connection, request, onEvent, open }: Conversation<Result, Event>,
): Promise<Result> {
  try {
    await open();
    const cutter = new LineCutter(ANSWER_BYTES_MAX);
    for await (const chunk of connection.bytes) {
      for (const line of cutter.push(chunk)) {
        const answer = understood(answerSchema, parseLine(line), request.name);
        if ("error" in answer) throw refusal(answer.error);
        if ("result" in answer) return understood(request.result, answer.result, request.name);
        onEvent(understood(request.event, answer.event, request.name));
      }
    }
  } catch (error) {
    if (error instanceof ControlError) throw error;
    throw lost(asError(error));
  } finally {
    connection.close();
  }
  throw lost();
}

function lost(cause?: Error): ControlError {
  const text = "Cannot go on: the gateway has ended the connection";
  return new ControlError("control_lost", text, { cause });
}

const codeSchema = z.enum([
  "control_lost",
  "control_garbled",
  "control_timeout",
  "control_unknown",
  "control_refused",
]).catch("control_refused");

function refusal({ code, message }: { readonly code: string; readonly message: string }) {
  return new ControlError(codeSchema.parse(code), message);
}

function understood<T>(schema: z.ZodType<T>, value: unknown, name: string): T {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const text = `Cannot understand the gateway's answer to "${name}": ${complaint(parsed.error)}`;
  throw new ControlError("control_garbled", text);
}
