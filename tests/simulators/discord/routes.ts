/**
 * The platform's calls, as far as bots of this kind make them, with the rules they must keep.
 * @module
 */

import { z } from "zod";
import type { JsonObject, JsonValue } from "../../../actors/kernel/json.ts";
import type { FormPart } from "../feishu/multipart.ts";
import { invalidForm, Refusal } from "./refusal.ts";
import { channelJson, messageJson, userJson } from "./shapes.ts";
import type { SimButton, SimChannel, SimMessage, World } from "./world.ts";

/** A call, read. */
export interface Call {
  readonly params: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  readonly body: unknown;
  readonly form: readonly FormPart[];
}

/** A kind of call. */
export interface Route {
  /** For faults, rates and tests. */
  readonly name: string;
  readonly method: string;
  /** Below the version, with `:name` for what varies. */
  readonly path: string;
  /** @default true */
  readonly needsToken?: boolean;
  /** Undefined: no contents. */
  readonly handle: (call: Call) => JsonValue | undefined;
}

/** A command that a person used, and what they were shown. */
export interface SimInteraction {
  readonly id: string;
  readonly token: string;
  /** The first word of the bot; null before it. */
  callback: { readonly type: number; readonly flags: number; readonly text: string } | null;
  /** What the answer says, oldest first. */
  readonly texts: string[];
}

/** What calls work on. */
export interface RoutesOptions {
  readonly world: World;
  readonly applicationId: string;
  readonly gatewayUrl: () => string;
  readonly cdn: () => string;
  readonly interactions: ReadonlyMap<string, SimInteraction>;
  readonly sessionsLeft: () => number;
  readonly onChange: () => void;
}

const CONTENT_CHARS_MAX = 2_000;
const NONCE_CHARS_MAX = 25;
/** Without boosts. */
const FILE_BYTES_MAX = 10 * 1024 * 1024;
const ROWS_MAX = 5;
const ROW_BUTTONS_MAX = 5;
const LABEL_CHARS_MAX = 80;
const CUSTOM_ID_CHARS_MAX = 100;
const NONCE_MS = 3 * 60_000;
const COMMAND_NAME = /^[-_'\p{L}\p{N}]{1,32}$/u;

const messageBody = z.object({
  content: z.string().optional(),
  nonce: z.string().optional(),
  enforce_nonce: z.boolean().optional(),
  allowed_mentions: z.object({ parse: z.array(z.string()) }).optional(),
  message_reference: z.object({
    message_id: z.string(),
    fail_if_not_exists: z.boolean().default(true),
  }).optional(),
  attachments: z.array(z.object({ id: z.number(), filename: z.string() })).optional(),
  components: z.array(z.object({
    type: z.literal(1),
    components: z.array(z.object({
      type: z.literal(2),
      style: z.int().min(1).max(4),
      label: z.string().min(1),
      custom_id: z.string().min(1),
    })),
  })).optional(),
});

/** A command as the bot told it. */
export interface SimCommand {
  readonly name: string;
  readonly description: string;
  readonly type: number;
  readonly options: readonly JsonObject[];
}

const commandsBody: z.ZodType<readonly SimCommand[]> = z.array(z.object({
  name: z.string(),
  description: z.string(),
  type: z.number().default(1),
  options: z.array(z.record(z.string(), z.json())).default([]),
}));

/** All calls. */
export class Routes {
  /** As the bot last told. */
  commands: readonly SimCommand[] = [];
  /** Names of servers that the bot is in. */
  guilds: readonly string[] = ["Team"];
  /** May read messages, as a bot in few servers. */
  applicationFlags: number = 1 << 19;
  /** When the bot said that it writes, by channel. */
  readonly typing: { readonly channelId: string; readonly atMs: number }[] = [];
  readonly list: readonly Route[];
  readonly #options: RoutesOptions;

  constructor(options: RoutesOptions) {
    this.#options = options;
    this.list = [...this.#accounts(), ...this.#messages(), ...this.#interactions()];
  }

  #accounts(): readonly Route[] {
    const { world, applicationId, gatewayUrl, sessionsLeft } = this.#options;
    return [
      { name: "user.me", method: "GET", path: "/users/@me", handle: () => userJson(world.bot) },
      {
        name: "gateway.bot",
        method: "GET",
        path: "/gateway/bot",
        handle: () => ({
          url: gatewayUrl(),
          shards: 1,
          session_start_limit: {
            total: 1_000,
            remaining: sessionsLeft(),
            reset_after: 3_600_000,
            max_concurrency: 1,
          },
        }),
      },
      {
        name: "application.me",
        method: "GET",
        path: "/applications/@me",
        handle: () => ({
          id: applicationId,
          name: world.bot.username,
          flags: this.applicationFlags,
          owner: userJson([...world.users.values()][1] ?? world.bot),
        }),
      },
      {
        name: "user.guilds",
        method: "GET",
        path: "/users/@me/guilds",
        handle: () => this.guilds.map((name, index) => ({ id: String(index + 1), name })),
      },
      {
        name: "direct.create",
        method: "POST",
        path: "/users/@me/channels",
        handle: ({ body }) => {
          const { recipient_id: id } = z.object({ recipient_id: z.string() }).parse(body);
          if (!world.users.has(id)) throw new Refusal(400, 50033, "Invalid Recipient(s)");
          return channelJson(world.directChannel(id));
        },
      },
      {
        name: "channel.get",
        method: "GET",
        path: "/channels/:channel",
        handle: ({ params }) => channelJson(this.#channel(params)),
      },
      {
        name: "commands.get",
        method: "GET",
        path: "/applications/:application/commands",
        handle: () =>
          this.commands.map((command, index) => ({ ...command, id: String(index + 1) })),
      },
      {
        name: "commands.put",
        method: "PUT",
        path: "/applications/:application/commands",
        handle: ({ body }) => {
          const commands = commandsBody.parse(body);
          for (const { name, description } of commands) {
            const isNamed = COMMAND_NAME.test(name) && name === name.toLowerCase();
            if (!isNamed) throw invalidForm("name", "APPLICATION_COMMAND_INVALID_NAME", name);
            if (description.length < 1 || description.length > 100) {
              throw invalidForm("description", "BASE_TYPE_BAD_LENGTH", description);
            }
          }
          this.commands = commands;
          return commands.map((command) => ({ ...command }));
        },
      },
    ];
  }

  #messages(): readonly Route[] {
    const { world } = this.#options;
    return [
      {
        name: "message.list",
        method: "GET",
        path: "/channels/:channel/messages",
        handle: ({ params, query }) => {
          const channel = this.#channel(params);
          const after = BigInt(query.get("after") ?? 0);
          const limit = Math.min(100, Number(query.get("limit") ?? 50));
          // With `after` the oldest ones count, told from the newest.
          return world.messagesIn(channel.id).filter(({ id }) => BigInt(id) > after)
            .slice(0, limit).toReversed().map((message) => this.#json(message));
        },
      },
      {
        name: "message.get",
        method: "GET",
        path: "/channels/:channel/messages/:message",
        handle: ({ params }) => this.#json(this.#message(params)),
      },
      {
        name: "message.create",
        method: "POST",
        path: "/channels/:channel/messages",
        handle: (call) => this.#create(call),
      },
      {
        name: "message.edit",
        method: "PATCH",
        path: "/channels/:channel/messages/:message",
        handle: ({ params, body }) => {
          const message = this.#message(params);
          if (message.author !== world.bot) {
            throw new Refusal(403, 50005, "Cannot edit a message authored by another user");
          }
          const { content = "", allowed_mentions, components } = messageBody.parse(body);
          checkMentions(allowed_mentions);
          message.texts.push(checkContent(content, message.files.length > 0));
          if (components !== undefined) message.buttons = buttonsIn(components);
          this.#options.onChange();
          return this.#json(message);
        },
      },
      {
        name: "message.delete",
        method: "DELETE",
        path: "/channels/:channel/messages/:message",
        handle: ({ params }) => {
          this.#message(params).isDeleted = true;
          this.#options.onChange();
          return undefined;
        },
      },
      {
        name: "typing",
        method: "POST",
        path: "/channels/:channel/typing",
        handle: ({ params }) => {
          this.typing.push({ channelId: this.#channel(params).id, atMs: world.nowMs });
          return undefined;
        },
      },
      {
        name: "reaction.add",
        method: "PUT",
        path: "/channels/:channel/messages/:message/reactions/:emoji/@me",
        handle: ({ params }) => this.#react(params, true),
      },
      {
        name: "reaction.remove",
        method: "DELETE",
        path: "/channels/:channel/messages/:message/reactions/:emoji/@me",
        handle: ({ params }) => this.#react(params, false),
      },
    ];
  }

  #interactions(): readonly Route[] {
    return [
      {
        name: "interaction.callback",
        method: "POST",
        path: "/interactions/:interaction/:token/callback",
        needsToken: false,
        handle: ({ params, body }) => {
          const interaction = this.#interaction(params);
          if (interaction.callback !== null) {
            throw new Refusal(400, 40060, "Interaction has already been acknowledged.");
          }
          const { type, data = {} } = z.object({
            type: z.number(),
            data: z.object({ flags: z.number().optional(), content: z.string().optional() })
              .optional(),
          }).parse(body);
          const text = data.content ?? "";
          interaction.callback = { type, flags: data.flags ?? 0, text };
          if (type === 4) interaction.texts.push(checkContent(text, false));
          this.#options.onChange();
          return undefined;
        },
      },
      {
        name: "interaction.edit",
        method: "PATCH",
        path: "/webhooks/:application/:token/messages/@original",
        needsToken: false,
        handle: ({ params, body }) => {
          const interaction = this.#interaction(params);
          if (interaction.callback === null) throw new Refusal(404, 10015, "Unknown Webhook");
          const { content = "" } = messageBody.parse(body);
          interaction.texts.push(checkContent(content, false));
          this.#options.onChange();
          return { id: interaction.id, content };
        },
      },
    ];
  }

  #create({ params, body, form }: Call): JsonObject {
    const { world } = this.#options;
    const channel = this.#channel(params);
    if (!channel.isOpen) throw new Refusal(403, 50001, "Missing Access");
    const json = form.find(({ name }) => name === "payload_json");
    const sent = messageBody.parse(
      json === undefined ? body : JSON.parse(new TextDecoder().decode(json.bytes)),
    );
    const files = form.filter(({ name }) => name.startsWith("files["));
    checkMentions(sent.allowed_mentions);
    const content = checkContent(sent.content ?? "", files.length > 0);
    if ((sent.nonce ?? "").length > NONCE_CHARS_MAX) {
      throw invalidForm("nonce", "NONCE_TYPE_TOO_LONG", "too long");
    }
    for (const { bytes } of files) {
      if (bytes.length > FILE_BYTES_MAX) {
        throw new Refusal(413, 40005, "Request entity too large");
      }
    }
    const known = sent.enforce_nonce === true
      ? world.messagesIn(channel.id).find(({ nonce, author, sentAtMs }) =>
        nonce === sent.nonce && author === world.bot && world.nowMs - sentAtMs < NONCE_MS
      )
      : undefined;
    if (known !== undefined) return this.#json(known);
    const reference = sent.message_reference;
    const referenced = reference === undefined
      ? undefined
      : world.messages.get(reference.message_id);
    const isThere = referenced !== undefined && !referenced.isDeleted;
    if (reference?.fail_if_not_exists === true && !isThere) {
      throw invalidForm("message_reference", "REPLIES_UNKNOWN_MESSAGE", "Unknown message");
    }
    const message = world.addMessage({
      channelId: channel.id,
      author: world.bot,
      text: content,
      nonce: sent.nonce ?? null,
      type: isThere ? 19 : 0,
      referenceId: isThere ? referenced.id : null,
      buttons: buttonsIn(sent.components ?? []),
      files: files.map(({ fileName = "file", bytes }) => world.addFile({ name: fileName, bytes })),
    });
    this.#options.onChange();
    return this.#json(message);
  }

  #react(params: Call["params"], isAdded: boolean): undefined {
    const { world, onChange } = this.#options;
    const message = this.#message(params);
    const emoji = decodeURIComponent(params["emoji"] ?? "");
    if (!/\p{Extended_Pictographic}/u.test(emoji) && !/^\w+:\d+$/.test(emoji)) {
      throw new Refusal(400, 10014, "Unknown Emoji");
    }
    const own = message.reactions.get(emoji) ?? new Set<string>();
    message.reactions.set(emoji, own);
    if (isAdded) own.add(world.bot.id);
    else if (!own.delete(world.bot.id)) throw new Refusal(404, 10014, "Unknown Emoji");
    if (own.size === 0) message.reactions.delete(emoji);
    onChange();
    return undefined;
  }

  #json(message: SimMessage): JsonObject {
    return messageJson(message, this.#options.world, this.#options.cdn());
  }

  #channel(params: Call["params"]): SimChannel {
    const channel = this.#options.world.channels.get(params["channel"] ?? "");
    if (channel === undefined) throw new Refusal(404, 10003, "Unknown Channel");
    return channel;
  }

  #message(params: Call["params"]): SimMessage {
    const { id } = this.#channel(params);
    const message = this.#options.world.messages.get(params["message"] ?? "");
    if (message === undefined || message.isDeleted || message.channelId !== id) {
      throw new Refusal(404, 10008, "Unknown Message");
    }
    return message;
  }

  #interaction(params: Call["params"]): SimInteraction {
    const interaction = this.#options.interactions.values()
      .find(({ token }) => token === params["token"]);
    if (interaction === undefined) throw new Refusal(404, 10062, "Unknown interaction");
    return interaction;
  }
}

/** What a message says, as the platform keeps it. */
function checkContent(content: string, hasFiles: boolean): string {
  if (content.length > CONTENT_CHARS_MAX) {
    throw invalidForm("content", "BASE_TYPE_MAX_LENGTH", "Must be 2000 or fewer in length.");
  }
  const kept = content.trim();
  if (kept === "" && !hasFiles) throw new Refusal(400, 50006, "Cannot send an empty message");
  return kept;
}

/** The buttons in rows, as the platform takes them. */
function buttonsIn(
  rows: NonNullable<z.infer<typeof messageBody>["components"]>,
): readonly SimButton[] {
  const invalid = (what: string): Refusal => invalidForm("components", "COMPONENT_INVALID", what);
  if (rows.length > ROWS_MAX) throw invalid("Must be between 1 and 5 in length.");
  for (const { components } of rows) {
    if (components.length < 1 || components.length > ROW_BUTTONS_MAX) {
      throw invalid("Must be between 1 and 5 in length.");
    }
  }
  const buttons = rows.flatMap(({ components }) => components);
  for (const { label, custom_id: id } of buttons) {
    if (label.length > LABEL_CHARS_MAX) throw invalid("Must be 80 or fewer in length.");
    if (id.length > CUSTOM_ID_CHARS_MAX) throw invalid("Must be 100 or fewer in length.");
  }
  const ids = new Set(buttons.map(({ custom_id: id }) => id));
  if (ids.size < buttons.length) throw invalid("Component custom id cannot be duplicated");
  return buttons.map(({ label, custom_id: customId }) => ({ label, customId }));
}

/** Not a rule of the platform but of ours: what a model writes calls nobody. */
function checkMentions(allowed: { readonly parse: readonly string[] } | undefined): void {
  if (allowed === undefined || allowed.parse.length > 0) {
    throw new Error("Cannot go on: a message could call people");
  }
}
