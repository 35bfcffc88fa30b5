/**
 * Discord's platform under the channel contract.
 * @module
 */

import type { JsonObject } from "../../../actors/kernel/json.ts";
import { visible } from "../../simulators/discord/visible.ts";
import {
  DiscordPlatform,
  type SimChannel,
  type SimMessage,
  type SimUser,
} from "../../simulators/discord_server.ts";
import type { ManualClock } from "../../support/manual_clock.ts";
import type {
  ChannelHarness,
  Said,
  Saying,
  SectionWishes,
  SendFailure,
  ShownMessage,
} from "../channel_contract.ts";

/** The direct channel with Alice. */
export const ALICE_CHAT = "1400000000000000001";
/** A token of the right shape that nobody has. */
const WRONG_TOKEN = "MTk4NjIyNDgzNDcxOTI1MjQ4.Cl2FMQ.AAAAAAAAAAAAAAAAAAAAAAAAAAA";
/** Signing in, and looking for news. */
const PASSIVE_ROUTES: ReadonlySet<string> = new Set([
  "user.me",
  "gateway.bot",
  "commands.get",
  "message.list",
]);
const FORBIDDEN_CODE = 50013;

/** A Discord platform with Alice, a stranger and a server. */
export class DiscordHarness implements ChannelHarness {
  readonly #platform: DiscordPlatform;
  readonly #alice: SimUser;
  readonly #stranger: SimUser;
  readonly #team: SimChannel;
  readonly #threads = new Map<string, SimChannel>();

  /** Starts the platform. */
  constructor(clock: ManualClock) {
    this.#platform = new DiscordPlatform(clock);
    this.#alice = this.#platform.addPerson("alice", "Alice");
    this.#stranger = this.#platform.addPerson("stranger");
    this.#platform.world.directChannel(this.#alice.id, ALICE_CHAT);
    this.#team = this.#platform.addChannel("team");
  }

  section(wishes: SectionWishes): JsonObject {
    const { allowFrom = "alice", groupPolicy = "mention", streaming = true } = wishes;
    const allowed = { alice: [this.#alice.id], everybody: ["*"], nobody: [] };
    return {
      enabled: true,
      token: wishes.hasBadCredentials === true ? WRONG_TOKEN : this.#platform.token,
      allowFrom: allowed[allowFrom],
      groupPolicy,
      streaming,
      readReceiptEmoji: null,
      workingEmoji: null,
      apiBase: this.#platform.apiBase,
    };
  }

  userSays({ text = "", from = "alice", inGroup, mentionsBot, thread, file }: Saying): Said {
    const author = from === "alice" ? this.#alice : this.#stranger;
    const isInGroup = inGroup === true || thread !== undefined;
    const channel = thread !== undefined
      ? this.#thread(thread)
      : isInGroup
      ? this.#team
      : this.#platform.direct(author);
    const mention = mentionsBot === true ? `<@${this.#platform.world.bot.id}> ` : "";
    const message = this.#platform.userSays({
      author,
      channel,
      text: mention + text,
      files: file === undefined ? [] : [file],
    });
    const chatId = isInGroup ? this.#team.id : channel.id;
    return { platformId: message.id, chatId, senderId: author.id };
  }

  repeat({ platformId }: Said): void {
    const message = this.#platform.world.messages.get(platformId);
    if (message !== undefined) this.#platform.tellOf(message);
  }

  shown(chatId: string): readonly ShownMessage[] {
    return this.#own(chatId).map(([thread, message]) => shownMessage(message, thread));
  }

  buttons(chatId: string): readonly string[] {
    return this.#own(chatId).flatMap(([, { buttons }]) => buttons.map(({ label }) => label));
  }

  press(chatId: string, label: string, from: "alice" | "stranger" = "alice"): void {
    const [, message] =
      this.#own(chatId).findLast(([, { buttons }]) =>
        buttons.some((button) => button.label === label)
      ) ?? [];
    if (message === undefined) throw new RangeError(`Cannot press "${label}": no such button`);
    this.#platform.userPresses(message, label, from === "alice" ? this.#alice : this.#stranger);
  }

  /** The bot's messages of a chat and its threads. */
  #own(chatId: string): readonly (readonly [thread: string | null, message: SimMessage])[] {
    const { world } = this.#platform;
    const inThreads = [...this.#threads].filter(([, { parentId }]) => parentId === chatId);
    const places: (readonly [string | null, string])[] = [
      [null, chatId],
      ...inThreads.map(([name, { id }]) => [name, id] as const),
    ];
    return places.flatMap(([thread, channelId]) =>
      world.messagesIn(channelId).filter(({ author }) => author === world.bot)
        .map((message) => [thread, message] as const)
    );
  }

  get effects(): number {
    return this.#platform.calls().filter(({ route }) => !PASSIVE_ROUTES.has(route)).length;
  }

  failNext(failure: SendFailure): void {
    const { faults } = this.#platform;
    switch (failure) {
      case "busy":
        return faults.plant("message.create", { kind: "status", status: 503 });
      case "forbidden":
        return faults.plant("message.create", { kind: "code", status: 403, code: FORBIDDEN_CODE });
      case "lost_answer":
      case "half_answer":
      case "garbled_answer":
        return faults.plant("message.create", { kind: failure });
    }
  }

  shutOut(): void {
    this.#platform.token = "another.one";
    for (const connection of this.#platform.openConnections) connection.close(4004);
  }

  limitRate(retryAfterMs: number): void {
    this.#platform.faults.plant("message.create", { kind: "rate", retryAfterMs });
  }

  goOffline(): void {
    this.#platform.goOffline();
  }

  comeBack(): void {
    this.#platform.comeBack();
  }

  get open(): number {
    return this.#platform.openConnections.length + this.#platform.pendingCalls;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#platform[Symbol.asyncDispose]();
  }

  #thread(name: string): SimChannel {
    const known = this.#threads.get(name);
    if (known !== undefined) return known;
    const thread = this.#platform.addThread(this.#team, name);
    this.#threads.set(name, thread);
    return thread;
  }
}

function shownMessage(message: SimMessage, thread: string | null): ShownMessage {
  return {
    ...visible(message.texts.at(-1) ?? ""),
    id: message.id,
    files: message.files.map(({ name, bytes }) => ({ name, bytes })),
    thread,
    edits: message.texts.length - 1,
  };
}
