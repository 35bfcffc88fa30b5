/**
 * Where deliveries go: ids as they are, names of channels and people looked up.
 * @module
 */

import type { JsonObject, JsonValue } from "../../../actors/kernel/json.ts";
import { DeliveryError } from "../../channel.ts";
import type { Place, SlackApi } from "../api.ts";
import type { Page, SlackUser } from "../wire.ts";

/** Where a delivery goes. */
export interface Target extends Place {
  /** The person who alone shall see it; undefined: everybody in the channel. */
  readonly whisperTo: string | undefined;
}

const CHANNEL_MENTION = /^<#([A-Z0-9]+)(?:\|[^>]*)?>$/;
const USER_MENTION = /^<@([A-Z0-9]+)(?:\|[^>]*)?>$/;
const USER_ID = /^[UW][A-Z0-9]{2,}$/;
const CHANNEL_ID = /^[CDG][A-Z0-9]{2,}$/;
/** Pages of 200: a larger workspace has people and channels that are found by their ids only. */
const PAGES_MAX = 50;
/** Names that were found. */
const KNOWN_MAX = 1_000;

/** Finds the places of one workspace. */
export class Targets {
  readonly #api: SlackApi;
  /** Ids of channels, by what they were asked for. */
  readonly #known = new Map<string, string>();

  constructor(api: SlackApi) {
    this.#api = api;
  }

  /**
   * The place for a delivery; its thread only where the message that it answers came from.
   *
   * @throws {DeliveryError} nothing goes by this name; what Slack answers
   */
  async find(chatId: string, context: JsonObject, signal: AbortSignal): Promise<Target> {
    const channel = await this.#channel(chatId.trim(), signal);
    const isOrigin = textOf(context["channel"]) === channel;
    return {
      channel,
      threadTs: isOrigin ? textOf(context["thread_ts"]) : undefined,
      whisperTo: isOrigin ? textOf(context["whisper_to"]) : undefined,
    };
  }

  async #channel(name: string, signal: AbortSignal): Promise<string> {
    const channel = CHANNEL_MENTION.exec(name)?.[1];
    if (channel !== undefined) return channel;
    if (CHANNEL_ID.test(name)) return name;
    const known = this.#known.get(name);
    if (known !== undefined) return known;
    const found = await this.#look(name, signal);
    if (found === undefined) {
      throw new DeliveryError(
        "delivery_permanent",
        `Cannot send to "${name}": it was not found among the channels and people of Slack`,
      );
    }
    this.#known.set(name, found);
    const [oldest] = this.#known.keys();
    if (this.#known.size > KNOWN_MAX && oldest !== undefined) this.#known.delete(oldest);
    return found;
  }

  async #look(name: string, signal: AbortSignal): Promise<string | undefined> {
    const user = USER_MENTION.exec(name)?.[1] ?? (USER_ID.test(name) ? name : undefined);
    if (user !== undefined) return await this.#api.directChat(user, signal);
    const bare = name.replace(/^[#@]/, "").toLowerCase();
    if (bare === "") return undefined;
    if (!name.startsWith("@")) {
      const channel = await this.#channelNamed(bare, signal);
      if (channel !== undefined || name.startsWith("#")) return channel;
    }
    const person = await this.#userNamed(bare, signal);
    return person === undefined ? undefined : await this.#api.directChat(person, signal);
  }

  async #channelNamed(bare: string, signal: AbortSignal): Promise<string | undefined> {
    const found = await firstOf(
      (cursor) => this.#api.channels(cursor, signal),
      ({ name }) => name.toLowerCase() === bare,
    );
    return found?.id;
  }

  async #userNamed(bare: string, signal: AbortSignal): Promise<string | undefined> {
    const found = await firstOf(
      (cursor) => this.#api.users(cursor, signal),
      (user) => !user.deleted && namesOf(user).some((name) => name.toLowerCase() === bare),
    );
    return found?.id;
  }
}

function namesOf({ name, profile }: SlackUser): readonly string[] {
  return [
    name,
    profile.display_name,
    profile.real_name,
    profile.display_name_normalized,
    profile.real_name_normalized,
  ];
}

async function firstOf<Item>(
  pageAt: (cursor: string) => Promise<Page<Item>>,
  isIt: (item: Item) => boolean,
): Promise<Item | undefined> {
  let cursor = "";
  for (let pages = 0; pages < PAGES_MAX; pages++) {
    const { items, nextCursor } = await pageAt(cursor);
    const found = items.find(isIt);
    if (found !== undefined || nextCursor === "") return found;
    cursor = nextCursor;
  }
  return undefined;
}

function textOf(value: JsonValue | undefined): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}
