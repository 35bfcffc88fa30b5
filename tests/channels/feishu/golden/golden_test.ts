/**
 * Answers as models give them, and the exact JSON that goes out for each. After a wanted change:
 * `UPDATE_GOLDEN=1 deno test -A tests/channels/feishu/golden`, then review the difference.
 * @module
 */

import assert from "node:assert/strict";
import { basename } from "node:path";
import { growingCard, NO_EXTRAS } from "../../../../channels/feishu/render/card_json.ts";
import { layOutCards } from "../../../../channels/feishu/render/cards.ts";
import { mendTail } from "../../../../channels/markdown/tail.ts";
import { messageOf, renderParts } from "../../../../channels/feishu/send/parts.ts";
import { CARD_LIMITS, cardBytes, checkCard, isNode } from "../../../simulators/feishu/card_json.ts";

/** Answers that begin with it are shown as they look while they grow. */
const GROWING = "half: ";
const ANSWERS = new URL("./answers/", import.meta.url);
const MESSAGES = new URL("./messages/", import.meta.url);
/** More of one string says nothing to a reader; how long it is does. */
const SHOWN_CHARS_MAX = 1_500;

const names = [...Deno.readDirSync(ANSWERS)].map(({ name }) => basename(name, ".txt")).toSorted();

/** The messages of an answer as they go out, their content decoded. */
function messagesFor(answer: string): readonly unknown[] {
  if (answer.startsWith(GROWING)) {
    return layOutCards(mendTail(answer.slice(GROWING.length)))
      .map(({ markdown }) => JSON.parse(growingCard(markdown, NO_EXTRAS)));
  }
  return renderParts("key", answer, { isPlain: false, images: new Map() }).map((part) => {
    const { msgType, content } = messageOf(part);
    return { msg_type: msgType, content: JSON.parse(content) };
  });
}

function shortened(_key: string, value: unknown): unknown {
  if (typeof value !== "string" || value.length <= SHOWN_CHARS_MAX) return value;
  const half = SHOWN_CHARS_MAX / 2;
  return `${value.slice(0, half)} … ${value.length} characters … ${value.slice(-half)}`;
}

Deno.test("The corpus has at least forty answers", () => {
  assert.ok(names.length >= 40);
});

Deno.test.each(names)("Feishu shows the answer %s as reviewed", (name) => {
  const answer = Deno.readTextFileSync(new URL(`${name}.txt`, ANSWERS));
  const messages = messagesFor(answer);
  for (const message of messages) {
    const card = isNode(message) && isNode(message["content"]) ? message["content"] : message;
    if (!isNode(card) || card["schema"] !== "2.0") continue;
    checkCard(card, CARD_LIMITS);
    assert.ok(cardBytes(card) <= CARD_LIMITS.bytesMax);
  }
  const text = `${JSON.stringify(messages, shortened, 2)}\n`;
  const file = new URL(`${name}.json`, MESSAGES);
  if (Deno.env.get("UPDATE_GOLDEN") !== undefined) {
    Deno.mkdirSync(MESSAGES, { recursive: true });
    Deno.writeTextFileSync(file, text);
  }
  assert.equal(text, Deno.readTextFileSync(file));
});
