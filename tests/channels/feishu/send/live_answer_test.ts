/**
 * Growing cards against a platform that answers at once: with real HTTP a clock that is moved by
 * hand runs far ahead of the calls, and every pace looks slow.
 * @module
 */

import assert from "node:assert/strict";
import { z } from "zod";
import type { Clock } from "../../../../actors/kernel/clock.ts";
import type { JsonValue } from "../../../../actors/kernel/json.ts";
import { FeishuApi } from "../../../../channels/feishu/api.ts";
import { FeishuRefusedError } from "../../../../channels/feishu/errors.ts";
import type { FeishuLink, FeishuRequest } from "../../../../channels/feishu/link.ts";
import { LiveAnswer } from "../../../../channels/feishu/send/live_answer.ts";
import { SendPace } from "../../../../channels/feishu/send/pace.ts";
import { DeliveryRecord } from "../../../../channels/feishu/send/record.ts";
import { Sender } from "../../../../channels/feishu/send/sender.ts";
import { ManualClock } from "../../../support/manual_clock.ts";
import { busiest } from "./busiest.ts";

const SIGNAL = new AbortController().signal;
const INTERVAL_MS = 500;
const CARD_PATH = /^\/open-apis\/cardkit\/v1\/cards\/([^/]+)/;

const operation = z.object({
  sequence: z.number(),
  content: z.string().optional(),
  settings: z.string().optional(),
});

/** A change of a card. */
interface Change {
  readonly atMs: number;
  readonly cardId: string;
  readonly sequence: number;
  /** The text of the answer's element, where it is all that changes. */
  readonly content: string | undefined;
  readonly isSetting: boolean;
}

/** The platform's side: answers at once, and refuses a number that is not higher than the last. */
class QuickPlatform implements FeishuLink {
  readonly changes: Change[] = [];
  readonly messagesAtMs: number[] = [];
  refusals = 0;
  readonly #clock: Clock;
  #made = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  request({ path, body }: FeishuRequest): Promise<unknown> {
    const atMs = this.#clock.now();
    const cardId = CARD_PATH.exec(path)?.[1];
    if (cardId !== undefined) return this.#change(cardId, operation.parse(body), atMs);
    const id = `id_${++this.#made}`;
    if (path.startsWith("/open-apis/im/v1/messages")) this.messagesAtMs.push(atMs);
    return Promise.resolve({ code: 0, data: { card_id: id, message_id: id } });
  }

  download(): Promise<never> {
    return Promise.reject(new TypeError("Nothing is downloaded here"));
  }

  connect(): Promise<{ readonly state: "closed" }> {
    return Promise.resolve({ state: "closed" });
  }

  #change(
    cardId: string,
    { sequence, content, settings }: z.infer<typeof operation>,
    atMs: number,
  ): Promise<unknown> {
    const last = this.changes.findLast((change) => change.cardId === cardId)?.sequence ?? 0;
    if (sequence <= last) {
      this.refusals++;
      const platformMessage = `${sequence} <= ${last}`;
      return Promise.reject(
        new FeishuRefusedError("change a card", {
          platformCode: 300317,
          status: 200,
          platformMessage,
          logId: undefined,
          retryAfterMs: undefined,
        }),
      );
    }
    this.changes.push({ atMs, cardId, sequence, content, isSetting: settings !== undefined });
    return Promise.resolve({ code: 0, data: {} });
  }
}

/** A platform, and answers that grow there. */
class Stage {
  readonly clock = new ManualClock();
  readonly platform = new QuickPlatform(this.clock);
  readonly stored = new Map<string, JsonValue>();
  readonly #sender = new Sender(new FeishuApi(this.platform), new SendPace(this.clock));

  /** The answer of one chat, with what an earlier run stored of it. */
  answer(chatId: string): LiveAnswer {
    const remember = (key: string, state: JsonValue): Promise<void> => {
      this.stored.set(key, state);
      return Promise.resolve();
    };
    return new LiveAnswer({
      sender: this.#sender,
      clock: this.clock,
      record: new DeliveryRecord(chatId, this.stored.get(chatId) ?? null, remember),
      target: { chatId, replyToId: "", isInTopic: false },
    });
  }

  /** Moves the clock to what is due next until `work` is over. */
  async during<T>(work: Promise<T>): Promise<T> {
    let isOver = false;
    const over = work.finally(() => void (isOver = true));
    over.catch(() => {});
    while (!isOver) {
      await this.clock.advance(Math.max(0, (this.clock.nextDueMs ?? 0) - this.clock.now()));
    }
    return await over;
  }
}

function growing(text: string): Parameters<LiveAnswer["grow"]>[0] {
  return { text, reasoning: "", running: [] };
}

function words(chatId: string, count: number): string {
  return Array.from({ length: count }, (_, index) => `${chatId}-${index}`).join(" ");
}

/** The updates of each card, in order; its settings are no updates. */
function updates({ changes }: QuickPlatform): readonly (readonly Change[])[] {
  return [...Map.groupBy(changes.filter((c) => !c.isSetting), ({ cardId }) => cardId).values()];
}

Deno.test("LiveAnswer changes a card each half second and no sooner, the newest text first", async () => {
  const stage = new Stage();
  const answer = stage.answer("ou_a");
  const startMs = stage.clock.now();
  await stage.during((async () => {
    for (let count = 1; count <= 20; count++) await answer.grow(growing(words("a", count)), SIGNAL);
    await answer.complete(words("a", 21), SIGNAL);
  })());
  const [card = []] = updates(stage.platform);
  assert.deepEqual(
    card.map(({ atMs }) => atMs - startMs),
    Array.from({ length: 20 }, (_, index) => (index + 1) * INTERVAL_MS),
  );
  assert.equal(card.at(-1)?.content, words("a", 21));
});

Deno.test("Fifty live answers keep the rates of cards and app, and each ends with its text", async () => {
  const stage = new Stage();
  const chats = Array.from({ length: 50 }, (_, index) => `ou_${index}`);
  await stage.during(Promise.all(chats.map(async (chatId) => {
    const answer = stage.answer(chatId);
    for (let count = 1; count <= 8; count++) {
      await answer.grow(growing(words(chatId, count)), SIGNAL);
    }
    await answer.complete(words(chatId, 9), SIGNAL);
  })));
  const { platform } = stage;
  const cards = updates(platform);
  assert.deepEqual(
    cards.map((card) => card.at(-1)?.content).toSorted(),
    chats.map((chatId) => words(chatId, 9)).toSorted(),
  );
  for (const card of cards) {
    const gapsMs = card.slice(1).map(({ atMs }, index) => atMs - (card[index]?.atMs ?? 0));
    assert.ok(gapsMs.every((gapMs) => gapMs >= INTERVAL_MS), `${gapsMs}`);
  }
  assert.ok(busiest(platform.changes.map(({ atMs }) => atMs), 1_000) <= 50);
  assert.ok(busiest(platform.messagesAtMs, 1_000) <= 50);
  assert.equal(platform.refusals, 0);
  assert.equal(stage.clock.pending, 0);
});

Deno.test("LiveAnswer never uses a number again, whichever run of many takes the card up", async () => {
  const stage = new Stage();
  for (let run = 1; run <= 4; run++) {
    const answer = stage.answer("ou_a");
    await stage.during(answer.grow(growing(words("a", run)), SIGNAL));
    await stage.during(answer.grow(growing(words("a", run + 1)), SIGNAL));
  }
  await stage.during(stage.answer("ou_a").complete("The end.", SIGNAL));
  const { changes, refusals, messagesAtMs } = stage.platform;
  assert.equal(refusals, 0);
  assert.equal(messagesAtMs.length, 1);
  const sequences = changes.map(({ sequence }) => sequence);
  assert.deepEqual(sequences, sequences.toSorted((a, b) => a - b));
  assert.equal(new Set(sequences).size, sequences.length);
});
