/**
 * The bot's own commands in the platform's menu, its buttons, and what people do with them.
 * @module
 */

import { getLogger } from "@logtape/logtape";
import type { ChannelCommand, ChannelInbound, HandInResult } from "../../channel.ts";
import { isAllowed } from "../../allow_list.ts";
import type { DiscordApi } from "../api.ts";
import { saidBy } from "../choice_id.ts";
import type { RegisteredCommand } from "../wire_account.ts";
import { type Interaction, interactionSchema } from "../wire_gateway.ts";
import type { Places, Whereabouts } from "./places.ts";
import type { ConversationRules } from "./received.ts";

const logger = getLogger(["troupe", "discord", "interactions"]);

const COMMAND = 2;
const PRESS = 3;
const SLASH = 1;
const TEXT_OPTION = 3;

/** What interactions need. */
export interface InteractionsOptions extends ConversationRules {
  readonly api: DiscordApi;
  readonly places: Places;
  readonly allowFrom: readonly string[];
  readonly allowChannels: readonly string[];
  readonly commands: readonly ChannelCommand[];
  readonly handIn: (inbound: ChannelInbound) => Promise<HandInResult>;
  readonly signal: AbortSignal;
}

/** Takes commands that people choose from the menu, and presses of buttons. */
export class Interactions {
  readonly #options: InteractionsOptions;
  #isRegistered = false;

  constructor(options: InteractionsOptions) {
    this.#options = options;
  }

  /** Tells the platform of the commands, once, and only if it has others. */
  async register(applicationId: string): Promise<void> {
    const { api, commands, signal } = this.#options;
    if (this.#isRegistered || commands.length === 0) return;
    this.#isRegistered = true;
    const wanted = commands.map(menuEntry);
    const known = await api.commands(applicationId, signal);
    if (isSame(known, wanted)) return;
    await api.putCommands(applicationId, wanted, signal);
    logger.info("Told Discord of {count} commands", { count: wanted.length });
  }

  /**
   * Takes an interaction. The platform wants a word within three seconds and does not tell of it
   * again, so that word comes first.
   */
  async receive(data: unknown): Promise<void> {
    const interaction = interactionSchema.safeParse(data).data;
    if (interaction?.type === PRESS) return await this.#receivePress(interaction);
    if (interaction?.type !== COMMAND) return;
    const { api, allowFrom, signal } = this.#options;
    if (!isAllowed(interaction.user.id, allowFrom)) {
      return await api.answerInteraction(interaction, "You may not use this bot.", signal);
    }
    if (interaction.channel_id === null) {
      return logger.warn("Ignored a command that stands in no channel");
    }
    await api.deferInteraction(interaction, signal);
    const { channel_id: channelId } = interaction;
    const words = await this.#take(
      interaction,
      channelId,
      (place) => this.#inboundOf(interaction, channelId, place),
    );
    if (words === null) return;
    const { application_id: applicationId, token } = interaction;
    await api.editInteraction(applicationId, token, { text: words }, signal);
  }

  /**
   * Who presses says what the button stands for. As the platform does not tell of it again, it is
   * acknowledged when it is taken.
   */
  async #receivePress(interaction: Interaction): Promise<void> {
    const { api, allowFrom, signal } = this.#options;
    const { channel_id: channelId, message, custom_id: customId, user } = interaction;
    const content = saidBy(customId);
    if (content === null || channelId === null || message === null) return;
    const words = isAllowed(user.id, allowFrom)
      ? await this.#take(interaction, channelId, (place) => ({
        // One word a person and question: a second press is none, whichever button it is.
        platformId: `press:${message.id}:${user.id}`,
        ...{ content, media: [], senderId: user.id },
        ...this.#placed(place),
        context: {
          message_id: message.id,
          channel_id: channelId,
          guild_id: interaction.guild_id,
          reply_to: null,
        },
      }))
      : "You may not use this bot.";
    if (words === null) await api.acknowledgePress(interaction, signal);
    else await api.answerInteraction(interaction, words, signal);
  }

  /** Null when it was taken in, else what to tell the person. */
  async #take(
    interaction: Interaction,
    channelId: string,
    inboundAt: (place: Whereabouts) => ChannelInbound,
  ): Promise<string | null> {
    const { handIn, allowChannels } = this.#options;
    const place = await this.#placeOf(interaction, channelId);
    const { chatId } = place;
    const isAllowedHere = allowChannels.length === 0 || allowChannels.includes(channelId) ||
      allowChannels.includes(chatId);
    if (!isAllowedHere) return "The bot may not be used in this channel.";
    const result = await handIn(inboundAt(place));
    return result === "refused" ? "This could not be taken just now; please try again." : null;
  }

  async #placeOf({ guild_id: guildId }: Interaction, channelId: string): Promise<Whereabouts> {
    if (guildId === null) return { chatId: channelId, threadId: null };
    return await this.#options.places.find(channelId, this.#options.signal);
  }

  #inboundOf(
    { id, token, application_id, guild_id, user, command, argument }: Interaction,
    channelId: string,
    place: Whereabouts,
  ): ChannelInbound {
    return {
      platformId: `interaction:${id}`,
      senderId: user.id,
      content: `/${command} ${argument}`.trim(),
      media: [],
      context: {
        channel_id: channelId,
        guild_id,
        interaction_id: id,
        interaction_token: token,
        application_id,
        is_slash_command: true,
      },
      ...this.#placed(place),
    };
  }

  #placed({ chatId, threadId }: Whereabouts): Pick<ChannelInbound, "chatId" | "sessionKey"> {
    const { channel, threadIsolation } = this.#options;
    return {
      chatId,
      ...(threadId !== null && threadIsolation &&
        { sessionKey: `${channel}:${chatId}:thread:${threadId}` }),
    };
  }
}

function menuEntry({ name, description, argument }: ChannelCommand): RegisteredCommand {
  const option = { name: "text", description: argument ?? "", type: TEXT_OPTION };
  return { name, description, type: SLASH, options: argument === null ? [] : [option] };
}

function isSame(
  known: readonly RegisteredCommand[],
  wanted: readonly RegisteredCommand[],
): boolean {
  const inOrder = (commands: readonly RegisteredCommand[]): string =>
    JSON.stringify(
      commands.map(({ name, description, options }) => ({
        name,
        description,
        options: options.map((option) => [option.name, option.description, option.type]),
      })).toSorted((one, other) => one.name < other.name ? -1 : 1),
    );
  return inOrder(known) === inOrder(wanted);
}
