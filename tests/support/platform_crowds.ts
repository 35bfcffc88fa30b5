/**
 * People on each of the platforms, who write to the bot in direct chats and wait for answers.
 * @module
 */

import { systemClock } from "../../actors/kernel/adapters/system_clock.ts";
import type { JsonObject } from "../../actors/kernel/json.ts";
import { DiscordPlatform } from "../simulators/discord_server.ts";
import { FeishuPlatform } from "../simulators/feishu_server.ts";
import { SlackPlatform } from "../simulators/slack_server.ts";
import { TelegramPlatform } from "../simulators/telegram_server.ts";
import { until } from "./until.ts";

/** A platform with people on it; hold it with `await using`. */
export interface Crowd extends AsyncDisposable {
  /** Name of the channel. */
  readonly channel: string;
  /** Its section of the config. */
  readonly section: JsonObject;
  readonly people: number;
  /** A person writes. */
  say(person: number, text: string): void;
  /** What the bot wrote to a person. */
  answers(person: number): readonly string[];
  /** The network goes away, and comes back. */
  goOffline(): void;
  comeBack(): void;
  /** Every message that the bot sends is answered with 503, until `recover`. */
  refuseSends(): void;
  recover(): void;
}

/** Puts `people` on each platform. */
export async function gatherCrowds(people: number): Promise<readonly Crowd[]> {
  const common = { enabled: true, allowFrom: ["*"], streaming: false };
  return [
    await feishuCrowd(people, common),
    telegramCrowd(people, common),
    slackCrowd(people, common),
    discordCrowd(people, common),
  ];
}

/** As an overloaded proxy answers. */
const BUSY = { kind: "status", status: 503 } as const;
/** Platforms take one message a second in a chat. */
const BREATH_MS = 1_200;

/**
 * Everybody writes once, a breath after whatever came before, and waits for an answer.
 *
 * @returns how long the answers took, in milliseconds, shortest first
 */
export async function askOnce(
  crowds: readonly Pick<Crowd, "people" | "say" | "answers">[],
  text: string,
): Promise<readonly number[]> {
  const fromMs = performance.now() + BREATH_MS;
  await until(() => performance.now() >= fromMs);
  const waiting = new Set(
    crowds.flatMap((crowd) =>
      Array.from({ length: crowd.people }, (_, person) => {
        const before = crowd.answers(person).length;
        crowd.say(person, text);
        return { crowd, person, before, atMs: performance.now() };
      })
    ),
  );
  const tookMs: number[] = [];
  await until(() => {
    for (const asked of waiting) {
      if (asked.crowd.answers(asked.person).length === asked.before) continue;
      tookMs.push(performance.now() - asked.atMs);
      waiting.delete(asked);
    }
    return waiting.size === 0;
  }, { what: "all answers", timeoutMs: 60_000 });
  return tookMs.toSorted((one, other) => one - other);
}

async function feishuCrowd(people: number, common: JsonObject): Promise<Crowd> {
  const platform = await FeishuPlatform.start({
    redelivery: { acknowledgeWithinMs: 500, delaysMs: [500, 1_000, 2_000, 4_000, 8_000, 8_000] },
  });
  const idOf = (person: number): string => `ou_${person}`;
  for (let person = 0; person < people; person++) platform.addPerson(idOf(person));
  const { appId, appSecret } = platform.app;
  return {
    channel: "feishu",
    section: { ...common, appId, appSecret, domain: platform.url, reactEmoji: null },
    people,
    say: (person, text) => void platform.userSays({ openId: idOf(person), text }),
    answers: (person) => platform.chat(idOf(person)).fromBot.map(({ text }) => text),
    goOffline: () => platform.goOffline(),
    comeBack: () => platform.comeBack(),
    refuseSends: () => void platform.faults.plant("im.message.create", BUSY, { times: Infinity }),
    recover: () => platform.faults.clear(),
    [Symbol.asyncDispose]: () => platform[Symbol.asyncDispose](),
  };
}

function telegramCrowd(people: number, common: JsonObject): Crowd {
  const platform = TelegramPlatform.start();
  const idOf = (person: number): number => 1_000 + person;
  for (let person = 0; person < people; person++) platform.addPerson(idOf(person));
  const { token, url: apiRoot } = platform;
  return {
    channel: "telegram",
    section: { ...common, token, apiRoot, reactEmoji: null },
    people,
    say: (person, text) => void platform.userSays({ from: idOf(person), text }),
    answers: (person) => platform.shown(idOf(person)).map(({ text }) => text),
    goOffline: () => platform.goOffline(),
    comeBack: () => platform.comeBack(),
    refuseSends: () => void platform.faults.plant("sendMessage", BUSY, { times: Infinity }),
    recover: () => platform.faults.clear(),
    [Symbol.asyncDispose]: () => platform[Symbol.asyncDispose](),
  };
}

function slackCrowd(people: number, common: JsonObject): Crowd {
  const platform = SlackPlatform.start(systemClock);
  const idOf = (person: number): string => `UPERSON${person}`;
  const chats = Array.from({ length: people }, (_, person) => {
    platform.addPerson(idOf(person), `Person ${person}`);
    return platform.world.directChat(idOf(person)).id;
  });
  const { botToken, appToken, apiUrl } = platform;
  return {
    channel: "slack",
    section: {
      ...common,
      botToken,
      appToken,
      apiUrl,
      replyInThread: false,
      reactEmoji: null,
      doneEmoji: null,
    },
    people,
    say: (person, text) => void platform.says({ user: idOf(person), text }),
    answers: (person) => platform.seen(chats[person] ?? "").map(({ text }) => text),
    goOffline: () => platform.goOffline(),
    comeBack: () => platform.comeBack(),
    refuseSends: () => void platform.faults.plant(["chat.postMessage"], BUSY, Infinity),
    recover: () => platform.faults.clear(),
    [Symbol.asyncDispose]: () => platform[Symbol.asyncDispose](),
  };
}

function discordCrowd(people: number, common: JsonObject): Crowd {
  const platform = new DiscordPlatform(systemClock);
  const chats = Array.from({ length: people }, (_, person) => {
    const author = platform.addPerson(`person${person}`);
    return { author, channel: platform.direct(author) };
  });
  const chatOf = (person: number): (typeof chats)[number] => {
    const chat = chats[person];
    if (chat === undefined) throw new RangeError(`Cannot find person ${person}`);
    return chat;
  };
  const { world, token, apiBase } = platform;
  return {
    channel: "discord",
    section: { ...common, token, apiBase, readReceiptEmoji: null, workingEmoji: null },
    people,
    say: (person, text) => void platform.userSays({ ...chatOf(person), text }),
    answers: (person) =>
      world.messagesIn(chatOf(person).channel.id).filter(({ author }) => author === world.bot)
        .map(({ texts }) => texts.at(-1) ?? ""),
    goOffline: () => platform.goOffline(),
    comeBack: () => platform.comeBack(),
    refuseSends: () => void platform.faults.plant("message.create", BUSY, Infinity),
    recover: () => platform.faults.clear(),
    [Symbol.asyncDispose]: () => platform[Symbol.asyncDispose](),
  };
}
