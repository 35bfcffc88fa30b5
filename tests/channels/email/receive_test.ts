import assert from "node:assert/strict";
import { ALICE, Harness } from "./harness.ts";

Deno.test("E-mail hands a mail in with its ids, and marks it seen after that", async () => {
  await using harness = await Harness.ready();
  const texts = await harness.receive({ id: "<one@mail.example>", subject: "Lunch", text: "Hi" });
  assert.deepEqual(texts, ["[subject: Lunch]\nHi"]);
  assert.partialDeepStrictEqual(harness.gateway.inbounds[0], {
    platformId: "<one@mail.example>",
    chatId: ALICE,
    senderId: ALICE,
  });
  assert.deepEqual([...harness.platform.inbox.mails[0]?.flags ?? []], ["\\Seen"]);
});
