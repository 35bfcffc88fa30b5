/**
 * What an attempt at an answer comes to: what stands in the history, and what is sent.
 * @module
 */

import type { AssistantMessage } from "../../providers/provider.ts";
import { unreachable } from "../kernel/invariant.ts";
import type { Attempt, OutOfBudget } from "./answer_attempt.ts";
import type { ShownText } from "./answer_view.ts";
import type { GivenAnswer } from "./step_parts.ts";
import type { ToolsAsked } from "./tool_rounds.ts";
import { assistantMessage } from "./turn_messages.ts";
import { BLANK_ANSWER, modelFailure, UNAVAILABLE_NOTE } from "./wording.ts";

/** All that ends in an answer. */
export type Answered = Exclude<Attempt, ToolsAsked | OutOfBudget>;

/** What was said before the answer. */
export interface AnswerScene {
  /** What people have seen of it while it was made. */
  readonly shown: ShownText;
  /** A tool has spoken to the chat. */
  readonly hasSentHome: boolean;
  /** What a tool said stands for the answer: that is stored, not sent. */
  readonly isSuppressed: boolean;
}

/** The answer that an attempt is. */
export function givenAnswer(
  attempt: Answered,
  { shown: { preamble, text: shownText }, hasSentHome, isSuppressed }: AnswerScene,
): GivenAnswer {
  switch (attempt.type) {
    case "answer": {
      const content = isSuppressed ? "" : attempt.text;
      const message = assistantMessage(attempt.text, attempt.response);
      return { outcome: "done", message, content, preamble };
    }
    case "blank":
      if (hasSentHome) return { outcome: "done", message: null, content: "", preamble };
      return { outcome: "done", message: note(), content: BLANK_ANSWER, preamble };
    case "failed": {
      const content = modelFailure(shownText, attempt.error.userText);
      return { outcome: "failed", message: note(), content, preamble };
    }
    default:
      return unreachable(attempt);
  }
}

function note(): AssistantMessage {
  return { role: "assistant", content: UNAVAILABLE_NOTE };
}
