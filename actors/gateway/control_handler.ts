/**
 * How the gateway answers a request: its definition joined to the work behind it.
 * @module
 */

import type { z } from "zod";
import { complaint, type ControlRequest } from "./control.ts";
import { ControlError } from "./control_errors.ts";

/** The other side of a request, while it is answered. */
export interface ControlCall<Event, Input> {
  /** Tells something before the result; one that still waits under the same key is replaced. */
  emit(event: Event, mergeKey?: string): void;
  /** What the client says; ends when it hangs up or says no more. */
  readonly inputs: AsyncIterable<Input>;
  /** Aborts when the client is gone, its time is up, or the gateway stops. */
  readonly signal: AbortSignal;
}

/** One entry of the door's table. */
export interface ControlHandler {
  readonly name: string;
  /** Time for the answer; null: as long as the client stays. */
  readonly timeoutMs: number | null;
  /** Answers with a value for the wire; what comes in is checked here. */
  answer(params: unknown, call: ControlCall<unknown, unknown>): Promise<unknown>;
}

/** Joins a request to what answers it. */
export function answers<Params, Result, Event, Input>(
  request: ControlRequest<Params, Result, Event, Input>,
  work: (params: Params, call: ControlCall<Event, Input>) => Promise<Result>,
): ControlHandler {
  return {
    name: request.name,
    timeoutMs: request.timeoutMs,
    answer: (params, call) =>
      work(checked(request.params, params, request.name), {
        emit: (event, mergeKey) => call.emit(event, mergeKey),
        inputs: checkedInputs(request, call.inputs),
        signal: call.signal,
      }),
  };
}

async function* checkedInputs<Input>(
  { name, input }: { readonly name: string; readonly input: z.ZodType<Input> },
  inputs: AsyncIterable<unknown>,
): AsyncGenerator<Input, void, void> {
  for await (const value of inputs) yield checked(input, value, name);
}

function checked<T>(schema: z.ZodType<T>, value: unknown, name: string): T {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const text = `Cannot read request "${name}": ${complaint(parsed.error)}`;
  throw new ControlError("control_garbled", text);
}
