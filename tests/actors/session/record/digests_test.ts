/** Tests of the digests of requests. @module */

import assert from "node:assert/strict";
import { RequestDigests } from "../../../../actors/session/record/digests.ts";
import type { ChatMessage, ChatRequest } from "../../../../providers/provider.ts";

function user(content: string): ChatMessage {
  return { role: "user", content };
}

function answer(content: string): ChatMessage {
  return { role: "assistant", content };
}

function picture(data: string): ChatMessage {
  const url = `data:image/png;base64,${data}`;
  return { role: "user", content: [{ type: "image_url", image_url: { url } }] };
}

function request(messages: readonly ChatMessage[]): ChatRequest {
  return {
    ...{ model: "m", messages, tools: [], tokensMax: 9, temperature: 0 },
    ...{ reasoningEffort: null, conversationId: "c" },
  };
}

function fresh(messages: readonly ChatMessage[]): string {
  return new RequestDigests().of(request(messages), "t");
}

Deno.test("A digest is the same whatever was digested before", () => {
  const digests = new RequestDigests();
  const [one, two, three] = [user("one"), answer("two"), user("three")];
  const seen = picture("AAAA");
  const requests = [
    [one],
    [one, two, seen],
    [one, two, seen, answer("four")],
    [one, two, three],
    [one, three],
    [],
    [one, two, three, answer("four")],
  ];
  for (const messages of requests) {
    assert.equal(digests.of(request(messages), "t"), fresh(messages));
  }
});

Deno.test.each(
  [
    ["words", [user("one"), answer("other")]],
    ["the order", [answer("two"), user("one")]],
    ["the number", [user("one"), answer("two"), user("")]],
    ["an image", [user("one"), picture("BBBB")]],
  ] as const,
)("A digest tells %s apart", (_what, messages) => {
  assert.notEqual(fresh(messages), fresh([user("one"), answer("two")]));
  assert.notEqual(fresh(messages), fresh([user("one"), picture("AAAA")]));
});
