/**
 * A hook as a module in a host of its own, which the gateway never loads itself.
 * @module
 */

import { z } from "zod";
import { asError } from "../../kernel/errors.ts";
import type { JsonValue } from "../../kernel/json.ts";
import type { HostCall } from "../host/host_protocol.ts";
import type { HostAnswer } from "../host/tool_host.ts";
import { HookError, type RunHook } from "./hook.ts";
import { DESCRIBE_HOOKS } from "./hook_event.ts";

/** How a function of the module is called. */
export type CallHook = (call: HostCall, signal: AbortSignal) => Promise<HostAnswer>;

const ORIGIN = { channel: "", chatId: "", sessionKey: "" };

/** Calls the function that the module has for an event. */
export function moduleHook(callHost: CallHook): RunHook {
  return async (event, signal) =>
    await ask(callHost, { tool: String(event["event"]), args: event }, signal);
}

/** The events that the module has functions for. @throws {HookError} when it cannot be loaded */
export async function describeHooks(
  callHost: CallHook,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const said = await ask(callHost, { tool: DESCRIBE_HOOKS, args: {} }, signal);
  return z.array(z.string()).parse(said);
}

async function ask(
  callHost: CallHook,
  call: Pick<HostCall, "tool" | "args">,
  signal: AbortSignal,
): Promise<JsonValue> {
  try {
    const { result } = await callHost({ ...call, origin: ORIGIN, reads: [] }, signal);
    return JSON.parse(String(result.content));
  } catch (thrown) {
    signal.throwIfAborted();
    const [line = ""] = asError(thrown).message.split("\n");
    throw new HookError(line, { cause: thrown });
  }
}
