/**
 * What the owner's hooks hear of a turn and its tool calls, and their say in those.
 * @module
 */

import { type Inbound, SYSTEM_CHANNEL, systemSource } from "../journal/journal.ts";
import type { Clock } from "../kernel/clock.ts";
import type { HookedCall, HookedTurn, HooksPort, TurnEndNews } from "../tools/hooks/hook_event.ts";
import type { ToolOrigin, ToolResult } from "../tools/tool.ts";
import { cutText } from "../tools/audit/presentable.ts";
import { notAllowed } from "./approval.ts";
import type { GuardedCall } from "./guarded_call.ts";
import { placeOf } from "./incoming.ts";

/** Of a result, what hooks hear. */
const RESULT_CHARS_MAX = 20_000;

/** What hooks are told with. */
export interface HookScene {
  /** @default there are none */
  readonly hooks?: HooksPort | undefined;
  readonly clock: Clock;
}

/** Tells them of one turn. */
export class TurnHooks {
  readonly #scene: HookScene;
  readonly #turnId: string;
  #began: { readonly turn: HookedTurn; readonly atMs: number } | undefined;

  constructor(scene: HookScene, turnId: string) {
    this.#scene = scene;
    this.#turnId = turnId;
  }

  /** It begins with a message, or goes on with it. */
  began(home: Inbound, { isAgain }: { readonly isAgain: boolean }): void {
    const { hooks, clock } = this.#scene;
    if (hooks === undefined || this.#began !== undefined) return;
    const { channel, chatId: chat } = placeOf(home);
    const isPerson = home.channel !== SYSTEM_CHANNEL;
    const turn: HookedTurn = {
      ...{ session: home.sessionKey, turn: this.#turnId, channel, chat },
      sender: isPerson ? home.senderId : null,
      source: systemSource(home) ?? "person",
    };
    this.#began = { turn, atMs: clock.now() };
    hooks.tell({ event: "turn_start", ...turn, isAgain });
  }

  /** It is over, if it had begun. */
  ended({ outcome, rounds }: Pick<TurnEndNews, "outcome" | "rounds">): void {
    const began = this.#began;
    if (began === undefined) return;
    this.#began = undefined;
    const { hooks, clock } = this.#scene;
    const durationMs = clock.now() - began.atMs;
    hooks?.tell({ event: "turn_end", ...began.turn, outcome, rounds, durationMs });
  }
}

/** Asks and tells them about the calls of one turn. */
export class CallHooks {
  readonly #scene: HookScene;
  readonly #origin: ToolOrigin;

  constructor(scene: HookScene, origin: ToolOrigin) {
    this.#scene = scene;
    this.#origin = origin;
  }

  /** What the model reads in place of a result; null when the call may run. */
  async refusal(call: GuardedCall, signal: AbortSignal): Promise<string | null> {
    const { hooks } = this.#scene;
    if (hooks === undefined) return null;
    const reason = await hooks.refusal(this.#hooked(call), signal);
    return reason === null ? null : notAllowed(call.tool, reason);
  }

  /** What `run` gives; they hear of it. */
  async around(call: GuardedCall, run: () => Promise<ToolResult>): Promise<ToolResult> {
    const { hooks, clock } = this.#scene;
    if (hooks === undefined) return await run();
    const startedAtMs = clock.now();
    let result: ToolResult | undefined;
    try {
      return result = await run();
    } finally {
      hooks.tell({
        event: "tool_after",
        ...this.#hooked(call),
        outcome: result === undefined ? "aborted" : result.isError ? "error" : "ok",
        durationMs: clock.now() - startedAtMs,
        result: result === undefined ? "" : cutText(textOf(result), RESULT_CHARS_MAX),
      });
    }
  }

  #hooked({ tool, args, callId, place }: GuardedCall): HookedCall {
    const { channel, chatId: chat, sessionKey: session, senderId, source } = this.#origin;
    return {
      ...{ session, turn: place.turnId, channel, chat },
      sender: senderId ?? null,
      source: source ?? "person",
      call: callId,
      tool,
      arguments: args,
    };
  }
}

function textOf({ content }: ToolResult): string {
  if (typeof content === "string") return content;
  return content.map((block) => "text" in block ? block.text : "").join("\n");
}
