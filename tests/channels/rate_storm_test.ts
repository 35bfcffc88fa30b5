import assert from "node:assert/strict";
import fc from "fast-check";
import { DiscordRefusedError } from "../../channels/discord/errors.ts";
import { Pace as DiscordPace } from "../../channels/discord/pace.ts";
import { SendPace as SlackPace } from "../../channels/slack/send/pace.ts";
import { SendPace as TelegramPace } from "../../channels/telegram/send/pace.ts";
import { ManualClock } from "../support/manual_clock.ts";

const CHATS = 50;
const TEXTS_PER_CHAT = 4;

/** A call of the platform: how long it wants to be left alone by the chat; null when it took it. */
type Call = () => number | null;

/** Makes a call when the pace allows, and heeds what it answers. @returns whether it was taken */
type Send = (chat: number, call: Call) => Promise<boolean>;

/** A platform's pace, and what it allows to all chats together. */
interface Paced {
  readonly name: string;
  readonly callsMax: number;
  readonly windowMs: number;
  readonly open: (clock: ManualClock) => Send;
}

const { signal } = new AbortController();

const PACES: readonly Paced[] = [
  {
    name: "Telegram",
    ...{ callsMax: 30, windowMs: 1_000 },
    open: (clock) => {
      const pace = new TelegramPace(clock);
      return (chat, call) => {
        const chatId = String(chat % 2 === 0 ? chat + 1 : -1 - chat);
        return pace.message(chatId, signal, () => {
          const waitMs = call();
          if (waitMs !== null) pace.hold(chatId, waitMs);
          return Promise.resolve(waitMs === null);
        });
      };
    },
  },
  {
    name: "Slack",
    ...{ callsMax: 200, windowMs: 60_000 },
    open: (clock) => {
      const pace = new SlackPace(clock);
      return async (chat, call) => {
        await pace.message(`D${chat}`, signal);
        const waitMs = call();
        if (waitMs !== null) pace.holdChannel(`D${chat}`, waitMs);
        pace.answered(`D${chat}`);
        return waitMs === null;
      };
    },
  },
  {
    name: "Discord",
    ...{ callsMax: 50, windowMs: 1_000 },
    open: (clock) => {
      const pace = new DiscordPace(clock);
      return async (chat, call) => {
        const path = `/channels/${111_111_111_111_111_000 + chat * 1_000}/messages`;
        const request = { method: "POST", path } as const;
        await pace.turn(request, signal);
        const retryAfterMs = call();
        if (retryAfterMs === null) return true;
        const refusal = { status: 429, platformCode: 0, platformMessage: "", retryAfterMs };
        pace.hold(request, new DiscordRefusedError("send", refusal));
        return false;
      };
    },
  },
];

/** All chats write at once; each is refused once, at one of its texts, for its own time. */
async function storm(
  { open }: Paced,
  refusals: readonly { readonly text: number; readonly waitMs: number }[],
): Promise<{ readonly taken: readonly number[][]; readonly callsMs: readonly number[] }> {
  const clock = new ManualClock();
  const send = open(clock);
  const taken = refusals.map((): number[] => []);
  const callsMs: number[] = [];
  let writingCount = refusals.length;
  const writing = refusals.map(async (refusal, chat) => {
    let quietUntilMs = -Infinity;
    for (let text = 0; text < TEXTS_PER_CHAT; text++) {
      const call = (): number | null => {
        callsMs.push(clock.now());
        assert.ok(clock.now() >= quietUntilMs, `chat ${chat} was not left alone`);
        if (text === refusal.text && quietUntilMs === -Infinity) {
          quietUntilMs = clock.now() + refusal.waitMs;
          return refusal.waitMs;
        }
        taken[chat]?.push(text);
        return null;
      };
      while (!await send(chat, call));
    }
    writingCount--;
  });
  const all = Promise.all(writing);
  all.catch(() => writingCount = 0);
  await clock.advance(0);
  while (writingCount > 0) {
    assert.ok(clock.nextDueMs !== undefined, "everybody waits for nothing");
    await clock.advance(clock.nextDueMs - clock.now());
  }
  await all;
  assert.equal(clock.pending, 0);
  return { taken, callsMs };
}

Deno.test.each(PACES)(
  "$name delivers all in order through a storm of refusals, and never too early",
  async (paced) => {
    const { callsMax, windowMs } = paced;
    const refusal = fc.record({
      text: fc.nat(TEXTS_PER_CHAT - 1),
      waitMs: fc.integer({ min: 1, max: 30 }).map((seconds) => seconds * 1_000),
    });
    const refusals = fc.array(refusal, { minLength: CHATS, maxLength: CHATS });
    await fc.assert(
      fc.asyncProperty(refusals, async (refused) => {
        const { taken, callsMs } = await storm(paced, refused);
        const inOrder = Array.from({ length: TEXTS_PER_CHAT }, (_, text) => text);
        for (const texts of taken) assert.deepEqual(texts, inOrder);
        assert.equal(callsMs.length, CHATS * (TEXTS_PER_CHAT + 1));
        for (const [index, atMs] of callsMs.entries()) {
          const earlierMs = callsMs[index - callsMax];
          assert.ok(
            earlierMs === undefined || atMs - earlierMs >= windowMs,
            "too many calls at once",
          );
        }
      }),
      { numRuns: 3 },
    );
  },
);
