/**
 * A mail provider under the channel contract.
 * @module
 */

import { DOMParser } from "linkedom";
import type { JsonObject } from "../../../actors/kernel/json.ts";
import {
  BOT,
  EmailPlatform,
  headerValue,
  mimeParts,
  type PostedMail,
} from "../../simulators/email_server.ts";
import type { ManualClock } from "../../support/manual_clock.ts";
import type {
  ChannelHarness,
  Said,
  Saying,
  SectionWishes,
  SendFailure,
  SentFile,
  ShownMessage,
} from "../channel_contract.ts";

/** Alice's address, which is that of her chat as well. */
export const ALICE = "alice@example.net";
const STRANGER = "stranger@example.com";
const SIGNER = "mx.example.org";
const ALLOW_FROM = { alice: [ALICE], everybody: ["*"], nobody: [] } as const;

/** A provider with a mailbox for the bot; Alice and a stranger write to it. */
export class EmailHarness implements ChannelHarness {
  readonly #platform: EmailPlatform;
  readonly #sayings = new Map<string, string>();
  /** The first mail of each thread, by its name in the test. */
  readonly #roots = new Map<string, string>();
  #ids = 0;

  constructor(clock: ManualClock) {
    this.#platform = new EmailPlatform({ clock });
  }

  section({ allowFrom = "alice", hasBadCredentials = false }: SectionWishes): JsonObject {
    const password = hasBadCredentials ? "wrong" : this.#platform.password;
    return {
      enabled: true,
      consentGranted: true,
      ...this.#platform.servers,
      imapUsername: BOT,
      imapPassword: password,
      imapUseSsl: false,
      smtpUsername: BOT,
      smtpPassword: password,
      smtpUseTls: false,
      allowFrom: [...ALLOW_FROM[allowFrom]],
      authServId: SIGNER,
      allowedAttachmentTypes: ["*"],
    };
  }

  userSays({ text = "", from = "alice", thread, file }: Saying): Said {
    const sender = from === "alice" ? ALICE : STRANGER;
    const id = `<${++this.#ids}@mail.example>`;
    const root = thread === undefined ? undefined : this.#roots.get(thread);
    if (thread !== undefined && root === undefined) this.#roots.set(thread, id);
    const answered = root === undefined ? "" : `In-Reply-To: ${root}\nReferences: ${root}\n`;
    const mail = headOf(sender, id) + answered + bodyOf(text, file);
    this.#sayings.set(id, mail);
    this.#platform.deliver(mail);
    return { platformId: id, chatId: sender, senderId: sender };
  }

  repeat({ platformId }: Said): void {
    this.#platform.deliver(this.#sayings.get(platformId) ?? "");
  }

  shown(chatId: string): readonly ShownMessage[] {
    return this.#platform.posted.filter(({ to }) => to.includes(chatId))
      .map((mail) => this.#shown(mail));
  }

  buttons(): readonly string[] {
    return [];
  }

  press(): void {
    throw new Error("Cannot press: mails have no buttons");
  }

  get effects(): number {
    return this.#platform.effects;
  }

  failNext(failure: SendFailure): void {
    switch (failure) {
      case "busy":
        return this.#platform.plant({ at: "DATA", reply: "451 4.3.0 Try again later" });
      case "forbidden":
        return this.#platform.plant({ at: "RCPT", reply: "550 5.1.1 No such user here" });
      case "lost_answer":
      case "half_answer":
      case "garbled_answer":
        return this.#platform.plant({ at: "LOST" });
    }
  }

  shutOut(): void {
    this.#platform.changePassword("another one");
  }

  limitRate(retryAfterMs: number): void {
    const seconds = Math.ceil(retryAfterMs / 1_000);
    const reply = `450 4.2.0 Greylisted, try again in ${seconds} seconds`;
    this.#platform.plant({ at: "RCPT", reply });
  }

  goOffline(): void {
    this.#platform.goOffline();
  }

  comeBack(): void {
    this.#platform.comeBack();
  }

  get open(): number {
    return this.#platform.open;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#platform[Symbol.asyncDispose]();
  }

  #shown({ bytes }: PostedMail): ShownMessage {
    const parts = mimeParts(bytes);
    const html = parts.find(({ type }) => type === "text/html");
    const plain = parts.find(({ type, name }) => type === "text/plain" && name === "");
    const page = html === undefined ? null : visible(new TextDecoder().decode(html.bytes));
    const words = new TextDecoder().decode(plain?.bytes).replaceAll("\r\n", "\n");
    const text = page?.text ?? words;
    const references = headerValue(bytes, "references");
    return {
      id: headerValue(bytes, "message-id"),
      text: text.trim(),
      code: page?.code ?? [],
      files: parts.filter(({ name }) => name !== "").map(({ name, bytes }) => ({ name, bytes })),
      thread: this.#roots.entries().find(([, root]) => references.includes(root))?.[0] ?? null,
      edits: 0,
    };
  }
}

function headOf(sender: string, id: string): string {
  const domain = sender.slice(sender.indexOf("@") + 1);
  return `Authentication-Results: ${SIGNER}; dmarc=pass header.from=${domain}\n` +
    `Received: from mail.${domain} by ${SIGNER}; Mon, 30 Nov 2026 07:00:00 +0000\n` +
    `From: ${sender}\nTo: ${BOT}\nMessage-ID: ${id}\nMIME-Version: 1.0\n`;
}

function bodyOf(text: string, file: SentFile | undefined): string {
  const words = `Content-Type: text/plain; charset=utf-8\n\n${text}\n`;
  if (file === undefined) return words;
  const name = encodeURIComponent(file.name);
  return `Content-Type: multipart/mixed; boundary="part"\n\n--part\n${words}\n--part\n` +
    `Content-Type: application/octet-stream\nContent-Transfer-Encoding: base64\n` +
    `Content-Disposition: attachment; filename*=utf-8''${name}\n\n` +
    `${file.bytes.toBase64()}\n--part--\n`;
}

/** What a person sees of a page. */
function visible(html: string): { readonly text: string; readonly code: readonly string[] } {
  const document = new DOMParser().parseFromString(html.replaceAll("\r\n", "\n"), "text/html");
  const code = [...document.querySelectorAll("pre")].map(({ textContent }) => textContent ?? "");
  for (const cell of document.querySelectorAll("td, th, li")) cell.append(" ");
  return { text: document.body.textContent ?? "", code };
}
