/**
 * What terminals ask a running gateway at its control door.
 * @module
 */

import { z } from "zod";
import { type ControlRequest, query } from "../../actors/gateway/control.ts";
import { ControlError } from "../../actors/gateway/control_errors.ts";
import { answers, type ControlHandler } from "../../actors/gateway/control_handler.ts";
import {
  type HandedInEvent,
  placeSchema,
  type Said,
  type TerminalEvent,
  terminalEventSchema,
  type TerminalPlace,
} from "./terminal_events.ts";
import type { TerminalHub } from "./terminal_hub.ts";

/** How a terminal joins a conversation. */
export interface ChatParams {
  readonly place: TerminalPlace;
  /** Shows what came while nobody was there. */
  readonly wantsMissed: boolean;
  /** A person is there who can be asked something back. */
  readonly isAttended: boolean;
  /** The workspace that must be the gateway's, where a person named one. */
  readonly workspace: string | null;
}

const saidSchema: z.ZodType<Said> = z.object({
  platformId: z.string().min(1).max(200),
  content: z.string(),
});

const handedInSchema: z.ZodType<HandedInEvent> = z.object({
  type: z.literal("handed_in"),
  platformId: z.string(),
  result: z.enum(["accepted", "duplicate", "refused"]),
});

const nothing: z.ZodType<Record<string, never>> = z.strictObject({});

/** A terminal: says messages, and sees what comes of them, until it hangs up. */
export const chatRequest: ControlRequest<
  ChatParams,
  Record<string, never>,
  TerminalEvent | HandedInEvent,
  Said
> = {
  name: "chat",
  params: z.object({
    place: placeSchema,
    wantsMissed: z.boolean(),
    isAttended: z.boolean().default(false),
    workspace: z.string().nullable(),
  }),
  result: nothing,
  event: z.union([terminalEventSchema, handedInSchema]),
  input: saidSchema,
  timeoutMs: null,
};

/** Stops what runs and waits in a conversation, as `/stop` does; the result is its answer. */
export const stopRequest: ControlRequest<
  { readonly place: TerminalPlace },
  { readonly text: string }
> = query("stop", {
  params: z.object({ place: placeSchema }),
  result: z.object({ text: z.string() }),
});

/** What the handlers work with. */
export interface ChatScene {
  readonly hub: TerminalHub;
  readonly workspace: string;
  readonly newId: () => string;
}

/** Answers the requests of terminals. */
export function chatHandlers({ hub, workspace, newId }: ChatScene): readonly ControlHandler[] {
  const chat = answers(chatRequest, async (params, call) => {
    if (params.workspace !== null && params.workspace !== workspace) {
      const text = `Cannot use workspace "${params.workspace}": the running gateway works in ` +
        `"${workspace}"; leave --workspace out, or stop the gateway first`;
      throw new ControlError("control_refused", text);
    }
    const { place, wantsMissed, isAttended } = params;
    const onEvent = (event: TerminalEvent) => call.emit(event, mergeKeyOf(event));
    using link = hub.attach({ place, wantsMissed, isAttended, onEvent });
    for await (const said of call.inputs) {
      const result = await link.say(said);
      call.emit({ type: "handed_in", platformId: said.platformId, result });
    }
    return {};
  });
  const stop = answers(stopRequest, async ({ place }) => {
    const { promise: settled, resolve } = Promise.withResolvers<void>();
    let text = "";
    using link = hub.attach({
      place,
      onEvent: (event) => {
        if (event.type === "settled") resolve();
        else if (event.phase === "final") text = event.text;
      },
    });
    if (await link.say({ platformId: newId(), content: "/stop" }) === "refused") {
      throw new ControlError("control_refused", "Cannot stop: the gateway takes nothing in now");
    }
    await settled;
    return { text };
  });
  return [chat, stop];
}

/** Of a growing answer only the newest state matters to who reads slowly. */
function mergeKeyOf(event: TerminalEvent): string | undefined {
  return event.type === "shown" && event.phase === "growing" ? event.key : undefined;
}
