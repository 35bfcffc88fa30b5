/**
 * What a request to the model must look like, whatever happened before.
 * @module
 */

import type { ChatMessage, ChatRequest } from "../../providers/provider.ts";
import type { StoryLine } from "./journal_watch.ts";
import { topicsOf } from "./marks.ts";

/** What a request is about. */
export interface RequestGround {
  /** The durable history of its session, as far as the model may see it. */
  readonly story: readonly StoryLine[];
  /** What those messages are about that it must answer. */
  readonly atWork: readonly string[];
  /** The beginning may be left out: it was too long for the model, or is summed up. */
  readonly mayBeCut: () => boolean;
}

/** What is wrong with a request; normally nothing. */
export function checkRequest(
  request: ChatRequest,
  { story, atWork, mayBeCut }: RequestGround,
): string[] {
  const { messages, conversationId } = request;
  const wrong = [...wrongOrder(messages), ...wrongCalls(messages)];
  const shown = topicsOf(messages).join(" ");
  const said = story.flatMap(({ topics }) => topics).join(" ");
  const isRight = shown === said || (said.endsWith(` ${shown}`) && mayBeCut());
  if (!isRight) wrong.push(`shows "${shown}" of what was said: "${said}"`);
  const missing = atWork.filter((topic) => !shown.split(" ").includes(topic));
  if (missing.length > 0) wrong.push(`leaves out what it is to answer: ${missing.join(" ")}`);
  return wrong.map((what) => `a request of ${conversationId} ${what}`);
}

function wrongOrder(messages: readonly ChatMessage[]): string[] {
  const [first, second] = messages;
  const wrong: string[] = [];
  if (first?.role !== "system") wrong.push("does not begin with the system prompt");
  if (second?.role !== "user") wrong.push("does not go on with a person's words");
  messages.forEach((message, index) => {
    const before = messages[index - 1];
    if (message.role !== "tool" && before?.role === message.role && index > 1) {
      if (!isAddedForCall(messages, index)) wrong.push(`has two ${message.role} in a row`);
    }
  });
  return wrong;
}

/** What goes behind the conversation for one call only may follow a message of its own role. */
function isAddedForCall(messages: readonly ChatMessage[], index: number): boolean {
  return index >= messages.length - 2;
}

function wrongCalls(messages: readonly ChatMessage[]): string[] {
  const wrong: string[] = [];
  let waiting: string[] = [];
  for (const message of messages) {
    if (message.role === "tool") {
      const index = waiting.indexOf(message.tool_call_id);
      if (index < 0) wrong.push(`has a result that nothing asked for: ${message.tool_call_id}`);
      else waiting.splice(index, 1);
      continue;
    }
    if (waiting.length > 0) wrong.push(`has calls without results: ${waiting.join(", ")}`);
    waiting = message.role === "assistant" ? (message.tool_calls ?? []).map(({ id }) => id) : [];
    if (new Set(waiting).size < waiting.length) wrong.push("gives two calls one id");
  }
  if (waiting.length > 0) wrong.push(`ends with calls without results: ${waiting.join(", ")}`);
  return wrong;
}
