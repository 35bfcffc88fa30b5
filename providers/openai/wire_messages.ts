/**
 * Clean messages in the shape of chat completions, with what the vendor at hand takes and no more.
 * @module
 */

import type { JsonObject, JsonValue } from "../../actors/kernel/json.ts";
import { OMITTED_IMAGE } from "../images.ts";
import { pastArgumentsText } from "../messages/arguments.ts";
import { CallIds } from "../messages/call_ids.ts";
import type { ToolNames } from "../messages/tool_names.ts";
import type {
  AssistantMessage,
  ChatMessage,
  ContentBlock,
  ToolCall,
  ToolMessage,
} from "../provider.ts";
import type { Traits } from "../trait_kinds.ts";

/** What messages are rendered for. */
export interface WireOptions {
  readonly traits: Traits;
  readonly tools: ToolNames;
  /** The model thinks in this request. */
  readonly isThinking: boolean;
}

const SEE_BELOW = "(The image follows in the next message.)";
/** Said by the assistant between results and a user, where one may not follow the other. */
const SEPARATOR = "(Results received.)";
/** What Gemini takes where a call that it did not make has no signature. */
const NO_SIGNATURE: JsonObject = {
  google: { thought_signature: "skip_thought_signature_validator" },
};

/** Renders `messages`, which must be clean. */
export function toWireMessages(
  messages: readonly ChatMessage[],
  options: WireOptions,
): readonly JsonObject[] {
  return new Rendering(options).render(messages);
}

/** One list of messages. */
class Rendering {
  readonly #options: WireOptions;
  readonly #ids: CallIds;
  readonly #wire: JsonObject[] = [];
  /** Images of the results just rendered; they can only stand behind all of them. */
  #images: ContentBlock[] = [];

  constructor(options: WireOptions) {
    this.#options = options;
    this.#ids = new CallIds(options.traits.callIds);
  }

  render(messages: readonly ChatMessage[]): readonly JsonObject[] {
    for (const message of messages) {
      if (message.role !== "tool") this.#showImages();
      this.#add(message);
    }
    this.#showImages();
    return this.#wire;
  }

  #add(message: ChatMessage): void {
    switch (message.role) {
      case "system":
        return void this.#wire.push({ role: "system", content: message.content });
      case "user":
        return this.#addUser(this.#content(message.content));
      case "tool":
        return this.#addResult(message);
      case "assistant":
        return void this.#wire.push(this.#answer(message));
    }
  }

  #addUser(content: JsonValue): void {
    const isBehindResult = this.#wire.at(-1)?.["role"] === "tool";
    if (isBehindResult && this.#options.traits.separatesResults) {
      this.#wire.push({ role: "assistant", content: SEPARATOR });
    }
    this.#wire.push({ role: "user", content });
  }

  /** Results are text on the wire: OpenAI and most others refuse images in them. */
  #addResult({ tool_call_id: id, name, content }: ToolMessage): void {
    const { traits, tools } = this.#options;
    const blocks: readonly ContentBlock[] = typeof content === "string"
      ? [{ type: "text", text: content }]
      : content;
    const note = traits.textOnly ? OMITTED_IMAGE : SEE_BELOW;
    if (!traits.textOnly) this.#images.push(...blocks.filter(({ type }) => type === "image_url"));
    this.#wire.push({
      role: "tool",
      tool_call_id: this.#ids.forResult(id),
      ...(traits.namesResults && { name: tools.toWire(name) }),
      content: asText(blocks, note),
    });
  }

  #showImages(): void {
    if (this.#images.length === 0) return;
    this.#addUser(this.#images.map(toWireBlock));
    this.#images = [];
  }

  #answer(message: AssistantMessage): JsonObject {
    const { content, tool_calls: calls = [], reasoning_content: reasoning } = message;
    const { traits: { reasoning: rule }, isThinking } = this.#options;
    const sent = rule === "fill" && isThinking ? reasoning ?? "" : reasoning;
    return {
      role: "assistant",
      content,
      ...(calls.length > 0 && { tool_calls: calls.map((call, index) => this.#call(call, index)) }),
      ...(rule !== "drop" && sent !== undefined && { reasoning_content: sent }),
    };
  }

  #call({ id, function: called, extra_content: given }: ToolCall, index: number): JsonObject {
    const { traits: { extraContent: rule }, tools } = this.#options;
    const standIn = rule === "sign" && index === 0 ? NO_SIGNATURE : undefined;
    const google = given?.["google"];
    const extra = google === undefined ? standIn : { google };
    return {
      id: this.#ids.forCall(id),
      type: "function",
      function: {
        name: tools.toWire(called.name),
        arguments: pastArgumentsText(called.arguments),
      },
      ...(rule !== "drop" && extra !== undefined && { extra_content: extra }),
    };
  }

  #content(content: string | readonly ContentBlock[]): JsonValue {
    if (typeof content === "string") return content;
    return this.#options.traits.textOnly
      ? asText(content, OMITTED_IMAGE)
      : content.map(toWireBlock);
  }
}

function toWireBlock(block: ContentBlock): JsonObject {
  return block.type === "text"
    ? { type: "text", text: block.text }
    : { type: "image_url", image_url: { url: block.image_url.url } };
}

function asText(blocks: readonly ContentBlock[], imageNote: string): string {
  return blocks.map((block) => block.type === "text" ? block.text : imageNote).join("\n");
}
