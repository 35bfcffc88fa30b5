/**
 * The platform's calls that the channel makes, at the platform's pace.
 * @module
 */

import type { z } from "zod";
import type { Clock } from "../../actors/kernel/clock.ts";
import type { JsonObject } from "../../actors/kernel/json.ts";
import type { Choice } from "../channel.ts";
import { KeyedTurns } from "../keyed_turns.ts";
import { buttonRows } from "./choice_id.ts";
import { DiscordRefusedError, DiscordUnreachableError } from "./errors.ts";
import type { DiscordLink, DiscordRequest, OutgoingFile } from "./link.ts";
import { kindOf, Pace } from "./pace.ts";
import { isOlder } from "./ids.ts";
import {
  type Message,
  messageSchema,
  messagesSchema,
  type Place,
  placeSchema,
  type RawMessage,
  sentSchema,
  type User,
  userSchema,
} from "./wire.ts";
import {
  type Application,
  applicationSchema,
  commandsSchema,
  guildsSchema,
  type RegisteredCommand,
} from "./wire_account.ts";
import { type GatewayFacts, gatewaySchema } from "./wire_gateway.ts";

/** What a message says. */
export interface Words {
  readonly text: string;
  /** Buttons below it; none takes them away. @default as they are, which is none in a new one */
  readonly choices?: readonly Choice[];
}

/** A message that goes out. */
export interface NewMessage extends Words {
  /** Under it the platform shows the message once, for a few minutes. At most 25 characters. */
  readonly nonce: string;
  /** The message to answer; "" for none. */
  readonly replyToId: string;
  readonly file?: OutgoingFile;
}

/** What was sent: its id, and what it says, which is older where the nonce was known already. */
export interface Sent {
  readonly id: string;
  readonly content: string;
}

/** Which messages of a channel to list; the oldest first. */
export interface ListOptions {
  /** Only those with a higher id. */
  readonly afterId: string;
}

/** Messages in one page, as many as the platform gives. */
export const PAGE_MAX = 100;

/** Shown to the one alone who used the command. */
const EPHEMERAL = 64;
/** Nobody is called by what a model writes. */
const NOBODY: JsonObject = { parse: [], replied_user: false };

/** Calls of one bot. All throw what {@link DiscordLink.request} throws. */
export class DiscordApi {
  readonly #link: DiscordLink;
  readonly #pace: Pace;
  readonly #turns = new KeyedTurns();

  constructor(link: DiscordLink, clock: Clock) {
    this.#link = link;
    this.#pace = new Pace(clock);
  }

  /** Where the socket is, and how often it may still be opened anew. */
  gateway(signal: AbortSignal): Promise<GatewayFacts> {
    return this.#ask(gatewaySchema, { method: "GET", path: "/gateway/bot" }, signal);
  }

  /** Who the bot is. */
  bot(signal: AbortSignal): Promise<User> {
    return this.#ask(userSchema, { method: "GET", path: "/users/@me" }, signal);
  }

  application(signal: AbortSignal): Promise<Application> {
    return this.#ask(applicationSchema, { method: "GET", path: "/applications/@me" }, signal);
  }

  /** Names of the servers that the bot is in. */
  async guilds(signal: AbortSignal): Promise<readonly string[]> {
    const guilds = await this.#ask(
      guildsSchema,
      { method: "GET", path: "/users/@me/guilds" },
      signal,
    );
    return guilds.map(({ name }) => name);
  }

  place(channelId: string, signal: AbortSignal): Promise<Place> {
    return this.#ask(placeSchema, { method: "GET", path: `/channels/${channelId}` }, signal);
  }

  /** The channel of direct messages with a person. */
  async directChannel(userId: string, signal: AbortSignal): Promise<string> {
    const body = { recipient_id: userId };
    const request = { method: "POST", path: "/users/@me/channels", body } as const;
    return (await this.#ask(placeSchema, request, signal)).id;
  }

  message(channelId: string, messageId: string, signal: AbortSignal): Promise<Message> {
    const path = `/channels/${channelId}/messages/${messageId}`;
    return this.#ask(messageSchema, { method: "GET", path }, signal);
  }

  /** A page of messages, the oldest first. */
  async messages(
    channelId: string,
    { afterId }: ListOptions,
    signal: AbortSignal,
  ): Promise<readonly RawMessage[]> {
    const query = { after: afterId, limit: String(PAGE_MAX) };
    const request = { method: "GET", path: `/channels/${channelId}/messages`, query } as const;
    const listed = await this.#ask(messagesSchema, request, signal);
    return listed.toSorted((one, other) => isOlder(one.id, other.id) ? -1 : 1);
  }

  async send(
    channelId: string,
    { text, choices, nonce, replyToId, file }: NewMessage,
    signal: AbortSignal,
  ): Promise<Sent> {
    const body = {
      ...(text !== "" && { content: text }),
      nonce,
      enforce_nonce: true,
      ...componentsIn(choices),
      allowed_mentions: NOBODY,
      ...(replyToId !== "" && {
        message_reference: { message_id: replyToId, fail_if_not_exists: false },
      }),
      ...(file !== undefined && { attachments: [{ id: 0, filename: file.name }] }),
    };
    return await this.#ask(sentSchema, {
      method: "POST",
      path: `/channels/${channelId}/messages`,
      body,
      ...(file !== undefined && { file }),
    }, signal);
  }

  async edit(
    channelId: string,
    messageId: string,
    said: Words,
    signal: AbortSignal,
  ): Promise<void> {
    const path = `/channels/${channelId}/messages/${messageId}`;
    await this.#do({ method: "PATCH", path, body: words(said) }, signal);
  }

  async remove(channelId: string, messageId: string, signal: AbortSignal): Promise<void> {
    await this.#do(
      { method: "DELETE", path: `/channels/${channelId}/messages/${messageId}` },
      signal,
    );
  }

  /** Says for ten seconds that the bot writes. */
  async type(channelId: string, signal: AbortSignal): Promise<void> {
    await this.#do({ method: "POST", path: `/channels/${channelId}/typing` }, signal);
  }

  async react(
    channelId: string,
    messageId: string,
    emoji: string,
    signal: AbortSignal,
  ): Promise<void> {
    await this.#do({ method: "PUT", path: reactionPath(channelId, messageId, emoji) }, signal);
  }

  async unreact(
    channelId: string,
    messageId: string,
    emoji: string,
    signal: AbortSignal,
  ): Promise<void> {
    await this.#do({ method: "DELETE", path: reactionPath(channelId, messageId, emoji) }, signal);
  }

  commands(applicationId: string, signal: AbortSignal): Promise<readonly RegisteredCommand[]> {
    const path = `/applications/${applicationId}/commands`;
    return this.#ask(commandsSchema, { method: "GET", path }, signal);
  }

  async putCommands(
    applicationId: string,
    commands: readonly RegisteredCommand[],
    signal: AbortSignal,
  ): Promise<void> {
    const body = commands.map(({ options, ...command }) => ({
      ...command,
      options: options.map((option) => ({ ...option, required: false })),
    }));
    const path = `/applications/${applicationId}/commands`;
    await this.#do({ method: "PUT", path, body }, signal);
  }

  /** Says that a press arrived; nothing changes at once. */
  async acknowledgePress(
    { id, token }: { readonly id: string; readonly token: string },
    signal: AbortSignal,
  ): Promise<void> {
    const path = `/interactions/${id}/${token}/callback`;
    await this.#do({ method: "POST", path, body: { type: 6 } }, signal);
  }

  /** Says to the one who used a command that an answer comes. */
  async deferInteraction(
    { id, token }: { readonly id: string; readonly token: string },
    signal: AbortSignal,
  ): Promise<void> {
    const body = { type: 5, data: { flags: EPHEMERAL } };
    await this.#do({ method: "POST", path: `/interactions/${id}/${token}/callback`, body }, signal);
  }

  /** Answers the one who used a command, at once. */
  async answerInteraction(
    { id, token }: { readonly id: string; readonly token: string },
    text: string,
    signal: AbortSignal,
  ): Promise<void> {
    const body = { type: 4, data: { flags: EPHEMERAL, ...words({ text }) } };
    await this.#do({ method: "POST", path: `/interactions/${id}/${token}/callback`, body }, signal);
  }

  /** Shows what was announced by `deferInteraction`. */
  async editInteraction(
    applicationId: string,
    token: string,
    said: Words,
    signal: AbortSignal,
  ): Promise<void> {
    const path = `/webhooks/${applicationId}/${token}/messages/@original`;
    await this.#do({ method: "PATCH", path, body: words(said) }, signal);
  }

  async #ask<T>(schema: z.ZodType<T>, request: DiscordRequest, signal: AbortSignal): Promise<T> {
    const parsed = schema.safeParse(await this.#do(request, signal));
    if (parsed.success) return parsed.data;
    const action = `call ${request.method} ${request.path}`;
    throw new DiscordUnreachableError(action, "the answer has another shape", {
      cause: parsed.error,
    });
  }

  /** Calls of one kind go one after the other: the first one's answer tells how many there may be. */
  #do(request: DiscordRequest, signal: AbortSignal): Promise<unknown> {
    return this.#turns.run(kindOf(request).kind, () => this.#doInTurn(request, signal));
  }

  async #doInTurn(request: DiscordRequest, signal: AbortSignal): Promise<unknown> {
    await this.#pace.turn(request, signal);
    try {
      const { body, rate } = await this.#link.request(request, signal);
      if (rate !== null) this.#pace.note(request, rate);
      return body;
    } catch (error) {
      if (error instanceof DiscordRefusedError && error.status === 429) {
        this.#pace.hold(request, error);
      }
      throw error;
    }
  }
}

function words({ text, choices }: Words): JsonObject {
  return { content: text, allowed_mentions: NOBODY, ...componentsIn(choices) };
}

function componentsIn(choices: readonly Choice[] | undefined): JsonObject {
  return choices === undefined ? {} : { components: buttonRows(choices) };
}

function reactionPath(channelId: string, messageId: string, emoji: string): string {
  // One of the server's own stands as `name:id`.
  return `/channels/${channelId}/messages/${messageId}/reactions/${encodeURIComponent(emoji)}/@me`;
}
