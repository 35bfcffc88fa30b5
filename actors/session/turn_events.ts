/**
 * What happens in a turn, for those who only watch: programs that show it, nobody who decides.
 * @module
 */

import type { FinishReason, Usage } from "../../providers/provider.ts";
import type { JsonObject } from "../kernel/json.ts";

/** What becomes of a call of a tool. */
export type ToolEvent =
  /** It begins; that it is allowed is not known yet. */
  | {
    readonly type: "tool_called";
    readonly callId: string;
    readonly tool: string;
    readonly args: JsonObject;
  }
  /** It has its result, as the model reads it. */
  | {
    readonly type: "tool_ended";
    readonly callId: string;
    readonly tool: string;
    readonly isError: boolean;
    /** Pictures are left out. */
    readonly text: string;
  };

/** One thing that happened in a turn, in the order in which it did. */
export type TurnEvent =
  | ToolEvent
  /** An answer is being made; a turn makes several where messages join it. */
  | { readonly type: "answer_began" }
  /** A model call begins: what comes now follows what came before, as another paragraph. */
  | { readonly type: "call_began" }
  /** More visible text of the call. */
  | { readonly type: "text_grew"; readonly text: string }
  /** All text of this call is void; it comes anew. */
  | { readonly type: "text_voided" }
  /** More of what the model thinks. */
  | { readonly type: "reasoning_grew"; readonly text: string }
  /** A call was answered, or broke off after it had cost something. */
  | { readonly type: "tokens_used"; readonly usage: Usage; readonly isEstimated: boolean }
  | { readonly type: "call_answered"; readonly finishReason: FinishReason };

/** Told at once, and so must be quick; it must not throw. */
export type TurnListener = (event: TurnEvent) => void;
