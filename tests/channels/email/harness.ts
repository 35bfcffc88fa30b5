/**
 * An e-mail channel at a simulated provider, with the gateway's side in memory.
 * @module
 */

import PostalMime, { type Email } from "postal-mime";
import { z } from "zod";
import type { Channel, Delivery, LookUp } from "../../../channels/channel.ts";
import { createChannel, type EmailSection } from "../../../channels/email/mod.ts";
import { manifest } from "../../../channels/email/manifest.ts";
import { BOT, EmailPlatform, type EmailPlatformOptions } from "../../simulators/email_server.ts";
import { FakeGateway } from "../../support/fake_gateway.ts";
import { ManualClock } from "../../support/manual_clock.ts";
import { type TemporaryFolder, temporaryFolder } from "../../support/temporary_folder.ts";
import { until } from "../../support/until.ts";

/** Alice, who may write. */
export const ALICE = "alice@example.net";
/** By what name the provider signs its checks. */
export const SIGNER = "mx.example.org";

/** What a test may choose. */
export interface HarnessOptions extends Omit<EmailPlatformOptions, "clock"> {
  readonly section?: Partial<EmailSection>;
}

/** What stands in a mail that arrives. */
export interface Written {
  readonly from?: string;
  readonly subject?: string;
  readonly id?: string;
  readonly text?: string;
  /** Further lines of the header block, each with its end. */
  readonly lines?: string;
  /** The lines on top, which the own server adds. */
  readonly top?: string;
}

/** A mail as it stands in the mailbox, sent by whom it says. */
export function mail(
  {
    from = ALICE,
    subject = "",
    id = `<${crypto.randomUUID()}@mail.example>`,
    text = "hello",
    lines,
    top,
  }: Written,
): string {
  const domain = from.replace(/^.*@|>$/g, "");
  const results = top ??
    `Authentication-Results: ${SIGNER};\n dkim=pass header.d=${domain};\n` +
      ` spf=pass smtp.mailfrom=${domain};\n dmarc=pass header.from=${domain}\n`;
  return `${results}Received: from mail.${domain} by ${SIGNER} with ESMTPS; ` +
    `Mon, 30 Nov 2026 07:00:00 +0000\n` +
    `From: ${from}\nTo: ${BOT}\n${subject === "" ? "" : `Subject: ${subject}\n`}` +
    `Message-ID: ${id}\nMIME-Version: 1.0\n${
      lines ?? "Content-Type: text/plain; charset=utf-8\n"
    }` +
    `\n${text}\n`;
}

/** Platform, gateway and channel; hold it with `await using`. */
export class Harness implements AsyncDisposable {
  readonly clock: ManualClock = new ManualClock();
  readonly platform: EmailPlatform;
  readonly gateway: FakeGateway = new FakeGateway("email");
  readonly folder: TemporaryFolder;
  readonly section: EmailSection;
  #stop = new AbortController();
  channel: Channel;
  ended: Promise<void>;

  private constructor(folder: TemporaryFolder, { section, ...options }: HarnessOptions) {
    this.folder = folder;
    this.platform = new EmailPlatform({ clock: this.clock, ...options });
    this.gateway.mediaFolder = `${folder.path}/media`;
    this.section = {
      ...manifest.schema(z).parse({
        enabled: true,
        consentGranted: true,
        ...this.platform.servers,
        imapUsername: BOT,
        imapPassword: this.platform.password,
        imapUseSsl: false,
        smtpUsername: BOT,
        smtpPassword: this.platform.password,
        smtpUseTls: false,
        allowFrom: [ALICE],
        authServId: SIGNER,
        allowedAttachmentTypes: ["*"],
      }),
      ...section,
    };
    this.channel = this.#open();
    this.ended = this.#run();
  }

  /** Starts all; the channel is on its way to be connected. */
  static async start(options: HarnessOptions = {}): Promise<Harness> {
    return new Harness(await temporaryFolder(), options);
  }

  /** Starts all and waits until the channel is ready. */
  static async ready(options: HarnessOptions = {}): Promise<Harness> {
    const harness = await Harness.start(options);
    await harness.isReady();
    return harness;
  }

  /** Waits until the channel says that it is ready. */
  isReady(): Promise<void> {
    return this.pass(() => this.gateway.states.at(-1)?.state === "ready", "the channel is ready");
  }

  /** Moves time in small steps until `condition` holds. */
  pass(condition: () => boolean, what: string): Promise<void> {
    return until(async () => {
      if (condition()) return true;
      await breathe();
      await this.clock.advance(50);
      return condition();
    }, { what, timeoutMs: 20_000 });
  }

  /** Waits until all that arrived was dealt with. */
  async isRead(): Promise<void> {
    await this.pass(() => this.#nextUid === this.platform.inbox.uidNext, "all mails are read");
  }

  /** A mail arrives, and is dealt with; gives the texts of all that were handed in so far. */
  async receive(written: Written | string): Promise<readonly string[]> {
    this.platform.deliver(typeof written === "string" ? written : mail(written));
    await this.isRead();
    return this.gateway.inbounds.map(({ content }) => content);
  }

  /** Lets simulated time pass. */
  async later(ms: number): Promise<void> {
    for (let passed = 0; passed < ms; passed += 50) {
      await this.clock.advance(50);
      await breathe();
    }
  }

  /** Delivers with what the gateway remembers for the key, while time passes. */
  async deliver(changes: Partial<Delivery> & Pick<Delivery, "key">): Promise<readonly string[]> {
    const delivery = this.#delivery(changes);
    const { messageIds } = await this.#inTime(
      this.channel.deliver(delivery, new AbortController().signal),
    );
    return messageIds;
  }

  /** Asks the platform about a delivery in doubt. */
  lookUp(changes: Partial<Delivery> & Pick<Delivery, "key">): Promise<LookUp | undefined> {
    const delivery = this.#delivery(changes);
    return this.#inTime(
      Promise.resolve(this.channel.lookUp?.(delivery, new AbortController().signal)),
    );
  }

  /** The mails that went out, read. */
  get sent(): Promise<readonly Email[]> {
    return Promise.all(this.platform.posted.map(({ bytes }) => PostalMime.parse(bytes)));
  }

  /** A new channel on the same journal, as after the death of the first one's Worker. */
  async restart(): Promise<void> {
    await this.stop();
    this.gateway.states.length = 0;
    this.#stop = new AbortController();
    this.channel = this.#open();
    this.ended = this.#run();
    await this.isReady();
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    await this.ended.catch(() => {});
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
    await this.platform[Symbol.asyncDispose]();
    await this.folder[Symbol.asyncDispose]();
  }

  get #nextUid(): unknown {
    const { cursor } = this.gateway;
    return typeof cursor === "object" && cursor !== null && "next_uid" in cursor
      ? cursor["next_uid"]
      : null;
  }

  #delivery(changes: Partial<Delivery> & Pick<Delivery, "key">): Delivery {
    return {
      chatId: ALICE,
      phase: "final",
      text: "",
      isPlain: false,
      activity: "",
      media: [],
      context: {},
      channelState: this.gateway.memory.get(changes.key) ?? null,
      settles: [],
      ...changes,
    };
  }

  async #inTime<T>(work: Promise<T>): Promise<T> {
    let isDone = false;
    const done = work.then(() => void (isDone = true), () => void (isDone = true));
    await this.pass(() => isDone, "the end of a delivery");
    await done;
    return await work;
  }

  #open(): Channel {
    const context = this.gateway.context(this.clock, this.#stop.signal);
    return createChannel(this.section, { ...context, workspaceFolder: this.folder.path });
  }

  #run(): Promise<void> {
    const running = this.channel.run();
    running.catch(() => {}); // looked at by the test, if at all
    return running;
  }
}

/** A moment of real time, for what is on the wire. */
function breathe(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 0));
}
