import assert from "node:assert/strict";
import { z } from "zod";
import type { Channel, ChannelContext, Delivery } from "../../channels/channel.ts";
import { fetchLink } from "../../channels/dingtalk/adapters/fetch_link.ts";
import { DingTalkChannel } from "../../channels/dingtalk/channel.ts";
import { manifest as dingtalk } from "../../channels/dingtalk/manifest.ts";
import { openNetwork as openDiscord } from "../../channels/discord/adapters/network.ts";
import { DiscordChannel } from "../../channels/discord/channel.ts";
import { manifest as discord } from "../../channels/discord/manifest.ts";
import { openServers } from "../../channels/email/adapters/servers.ts";
import { EmailChannel } from "../../channels/email/channel.ts";
import { manifest as email } from "../../channels/email/manifest.ts";
import { openSdkLink } from "../../channels/feishu/adapters/sdk.ts";
import { FeishuChannel } from "../../channels/feishu/channel.ts";
import { manifest as feishu } from "../../channels/feishu/manifest.ts";
import { openNetwork as openQq } from "../../channels/qq/adapters/network.ts";
import { QqChannel } from "../../channels/qq/channel.ts";
import { manifest as qq } from "../../channels/qq/manifest.ts";
import { slackLink } from "../../channels/slack/adapters/link.ts";
import { SlackChannel } from "../../channels/slack/channel.ts";
import { manifest as slack } from "../../channels/slack/manifest.ts";
import { openBotApi } from "../../channels/telegram/adapters/bot_api.ts";
import { TelegramChannel } from "../../channels/telegram/channel.ts";
import { manifest as telegram } from "../../channels/telegram/manifest.ts";
import { FakeGateway } from "../support/fake_gateway.ts";
import { ManualClock } from "../support/manual_clock.ts";
import { temporaryFolder } from "../support/temporary_folder.ts";
import { until } from "../support/until.ts";

/** Instead of the 15 seconds and more that calls may take. */
const TIMEOUT_MS = 50;

const DELIVERY: Omit<Delivery, "chatId"> = {
  key: "turn-1:0",
  phase: "final",
  text: "Hello",
  isPlain: false,
  activity: "",
  media: [],
  context: {},
  channelState: null,
  settles: [],
};

/** Accepts connections and never says anything. */
class SilentServer implements AsyncDisposable {
  readonly #listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  readonly #connections: Deno.Conn[] = [];
  readonly #accepting = this.#accept();

  get port(): number {
    return this.#listener.addr.port;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#listener.close();
    await this.#accepting;
    for (const connection of this.#connections) connection.close();
  }

  async #accept(): Promise<void> {
    for await (const connection of this.#listener) this.#connections.push(connection);
  }
}

/** Their first call is the send itself, which may arrive; the others sign in first, or have keys. */
const SENDS_AT_ONCE: ReadonlySet<string> = new Set(["slack", "telegram"]);

/** Chats as the platforms name them. */
const CHAT_IDS: Readonly<Record<string, string>> = {
  dingtalk: "al01",
  discord: "111111111111111111",
  email: "alice@example.net",
  feishu: "oc_1",
  qq: "E4F4AEA33253A2797FB897C50B81D7ED",
  slack: "D0ALICE",
  telegram: "1001",
};

const DISCORD_TOKEN = `${btoa("111111111111111111")}.abcdef.${"x".repeat(30)}`;
const USUAL = { enabled: true, allowFrom: ["*"] };

/** Each channel at a server of ours, whose calls end after `TIMEOUT_MS`. */
const CHANNELS: Readonly<
  Record<string, (port: number, context: ChannelContext) => Channel>
> = {
  dingtalk: (port, context) => {
    const apiBase = `http://127.0.0.1:${port}`;
    const section = dingtalk.schema(z)
      .parse({ ...USUAL, clientId: "id", clientSecret: "s", apiBase, oapiBase: apiBase });
    return new DingTalkChannel(section, context, fetchLink(section, TIMEOUT_MS));
  },
  discord: (port, context) => {
    const apiBase = `http://127.0.0.1:${port}/api`;
    const section = discord.schema(z).parse({ ...USUAL, token: DISCORD_TOKEN, apiBase });
    const { signal } = context;
    const link = openDiscord({ ...section, signal, timeoutMs: TIMEOUT_MS });
    return new DiscordChannel(section, context, link);
  },
  email: (port, context) => {
    const host = "127.0.0.1";
    const section = email.schema(z).parse({
      ...{ ...USUAL, consentGranted: true, authServId: "mx.example.org" },
      ...{ imapHost: host, imapPort: port, imapUsername: "b@example.org", imapPassword: "p" },
      ...{ smtpHost: host, smtpPort: port, smtpUsername: "b@example.org", smtpPassword: "p" },
      ...{ imapUseSsl: false, smtpUseTls: false },
    });
    return new EmailChannel(section, context, () => openServers(section, TIMEOUT_MS));
  },
  feishu: (port, context) => {
    const domain = `http://127.0.0.1:${port}`;
    const section = feishu.schema(z)
      .parse({ ...USUAL, appId: "cli_a", appSecret: "s", domain });
    const { clock, signal } = context;
    const options = { ...section, baseUrl: domain, clock, signal, timeoutMsMax: TIMEOUT_MS };
    return new FeishuChannel(section, context, () => openSdkLink(options));
  },
  qq: (port, context) => {
    const base = `http://127.0.0.1:${port}`;
    const section = qq.schema(z)
      .parse({ ...USUAL, appId: "1", secret: "s", apiBase: base, authBase: base });
    const { signal } = context;
    return new QqChannel(section, context, openQq({ ...section, signal, timeoutMs: TIMEOUT_MS }));
  },
  slack: (port, context) => {
    const apiUrl = `http://127.0.0.1:${port}/api/`;
    const section = slack.schema(z)
      .parse({ ...USUAL, botToken: "xoxb-1", appToken: "xapp-1", apiUrl });
    return new SlackChannel(section, context, slackLink({ ...section, timeoutMs: TIMEOUT_MS }));
  },
  telegram: (port, context) => {
    const apiRoot = `http://127.0.0.1:${port}`;
    const section = telegram.schema(z).parse({ ...USUAL, token: "1:A", apiRoot });
    const seconds = TIMEOUT_MS / 1_000;
    const limits = { callSeconds: seconds, uploadSeconds: seconds, pollSeconds: seconds };
    return new TelegramChannel(section, context, () => openBotApi(section, limits));
  },
};

Deno.test.each(Object.keys(CHANNELS))(
  "%s gives up a platform that hangs, and says why",
  async (name) => {
    await using server = new SilentServer();
    await using folder = await temporaryFolder();
    const gateway = new FakeGateway(name);
    gateway.mediaFolder = `${folder.path}/media`;
    const clock = new ManualClock();
    const stop = new AbortController();
    const { signal } = stop;
    const context = { ...gateway.context(clock, signal), workspaceFolder: folder.path };
    const channel = CHANNELS[name]?.(server.port, context);
    const ended = channel?.run().catch((error: unknown) => error);
    try {
      await until(async () => {
        await clock.advance(50);
        return / in (required )?time/.test(gateway.states.at(-1)?.detail ?? "");
      }, {
        what: "a state that names the reason",
      });
      assert.match(gateway.states.at(-1)?.state ?? "", /^(connecting|reconnecting)$/);
      const delivery = { ...DELIVERY, chatId: CHAT_IDS[name] ?? "1" };
      await assert.rejects(channel?.deliver(delivery, signal) ?? Promise.resolve(), {
        code: SENDS_AT_ONCE.has(name) ? "delivery_unknown" : "delivery_transient",
      });
    } finally {
      stop.abort();
      await ended;
    }
  },
);
