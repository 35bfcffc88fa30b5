/**
 * A QQ channel at a simulated platform.
 * @module
 */

import { z } from "zod";
import type { ChannelInbound } from "../../../channels/channel.ts";
import { manifest } from "../../../channels/qq/manifest.ts";
import { createChannel, type QqSection } from "../../../channels/qq/mod.ts";
import { QqPlatform } from "../../simulators/qq_server.ts";
import { ChannelBench } from "../../support/channel_bench.ts";
import { ManualClock } from "../../support/manual_clock.ts";
import { type TemporaryFolder, temporaryFolder } from "../../support/temporary_folder.ts";

/** Alice, who may write. */
export const ALICE = "E4F4AEA33253A2797FB897C50B81D7ED";
/** Alice in the group, where she has another id. */
export const MEMBER = "B1D7EDE4F4AEA33253A2797FB897C508";
/** A group. */
export const GROUP = "C9F778FE6ADF9D1D1DBE395BF744A33A";
/** Somebody in a guild, and the direct chat with them. */
export const GUILD_MEMBER = "1234";
export const GUILD = "18700000000001";

/** What a test may choose. */
export interface HarnessOptions {
  readonly section?: Partial<QqSection>;
}

/** Platform, gateway and channel; hold it with `await using`. */
export class Harness extends ChannelBench<QqPlatform> {
  private constructor(
    clock: ManualClock,
    platform: QqPlatform,
    section: QqSection,
    folder: TemporaryFolder,
  ) {
    super({
      name: "qq",
      clock,
      platform,
      folder,
      create: (context) => createChannel(section, context),
      chatId: () => ALICE,
      commands: [],
    });
  }

  /** Starts all; the channel is on its way to be connected. */
  static async start({ section }: HarnessOptions = {}): Promise<Harness> {
    const clock = new ManualClock();
    const platform = new QqPlatform(clock);
    const parsed = manifest.schema(z).parse({
      enabled: true,
      appId: platform.appId,
      secret: platform.secret,
      allowFrom: ["*"],
      ackMessage: "",
      apiBase: platform.url,
      authBase: platform.url,
    });
    return new Harness(clock, platform, { ...parsed, ...section }, await temporaryFolder());
  }

  /** Starts all and waits until the channel is ready. */
  static async ready(options: HarnessOptions = {}): Promise<Harness> {
    const harness = await Harness.start(options);
    await harness.isReady();
    return harness;
  }

  /** Alice says something (in the group, or over the guild), and it was accepted. @returns its context */
  async asked(
    where: { readonly group?: string; readonly guild?: string } = {},
  ): Promise<Pick<ChannelInbound, "chatId" | "context">> {
    const count = this.gateway.inbounds.length;
    const from = where.group !== undefined
      ? MEMBER
      : where.guild !== undefined
      ? GUILD_MEMBER
      : ALICE;
    this.platform.userSays({ from, text: "a question", ...where });
    await this.texts(count + 1);
    const { chatId, context } = this.gateway.inbounds[count] ?? { chatId: "", context: {} };
    return { chatId, context };
  }

  /** Bodies of the messages that the bot tried to send. */
  get sends(): readonly unknown[] {
    return this.platform.calls.filter(({ route }) => route === "message").map(({ body }) => body);
  }

  /** Texts in a chat. */
  shown(chatId: string = ALICE): readonly string[] {
    return this.platform.shown(chatId).map(({ text }) => text);
  }
}
