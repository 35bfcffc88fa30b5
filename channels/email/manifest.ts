/**
 * What the gateway knows about the e-mail channel without loading it: no import at run time.
 * @module
 */

import type { z } from "zod";
import type { ChannelManifest, ChannelSection } from "../manifest.ts";

/** `channels.email` of the config. */
export interface EmailSection extends ChannelSection {
  /** The owner of the mailbox agrees to its mails being read and answered; nothing runs without. */
  readonly consentGranted: boolean;
  readonly imapHost: string;
  readonly imapPort: number;
  readonly imapUsername: string;
  readonly imapPassword: string;
  readonly imapMailbox: string;
  /** TLS from the start; without it STARTTLS is demanded, except on this machine. */
  readonly imapUseSsl: boolean;
  readonly smtpHost: string;
  readonly smtpPort: number;
  readonly smtpUsername: string;
  readonly smtpPassword: string;
  /** STARTTLS is demanded. */
  readonly smtpUseTls: boolean;
  /** TLS from the start. */
  readonly smtpUseSsl: boolean;
  /** Certificates (PEM) that are trusted besides those of the system. */
  readonly caCertificates: string;
  /** The bot's address; "" for the name it signs in with. */
  readonly fromAddress: string;
  /** The bot's name beside its address; "" for none. */
  readonly fromName: string;
  /** Answers go out; otherwise only what the assistant sends by itself. */
  readonly autoReplyEnabled: boolean;
  /** How often to look, where the server does not tell by itself. */
  readonly pollIntervalSeconds: number;
  readonly markSeen: boolean;
  readonly maxBodyChars: number;
  readonly subjectPrefix: string;
  /** Each thread is a conversation, or each sender. */
  readonly sessionPer: "thread" | "sender";
  readonly verifyDkim: boolean;
  readonly verifySpf: boolean;
  /** By what name the own server signs its checks; "" to learn it from the mailbox. */
  readonly authServId: string;
  /** Globs on MIME types; empty takes no attachments. */
  readonly allowedAttachmentTypes: readonly string[];
  readonly maxAttachmentSize: number;
  readonly maxAttachmentsPerEmail: number;
  /** Mails in ten minutes that one sender may have answered; more is taken for a loop. */
  readonly maxPerSender: number;
  /** Copies of what is sent are put into the folder for it; null: where the server does not. */
  readonly saveSent: boolean | null;
}

const LOOPBACK = /^(localhost|127(\.\d+){3}|::1)$/i;

function schemaOf(zod: typeof z): z.ZodType<EmailSection> {
  const text = zod.string().trim().default("");
  const port = zod.int().min(1).max(65_535);
  return zod.object({
    enabled: zod.boolean().default(false),
    allowFrom: zod.array(zod.string().trim().toLowerCase()).default([]),
    consentGranted: zod.boolean().default(false),
    imapHost: text,
    imapPort: port.default(993),
    imapUsername: text,
    imapPassword: zod.string().default(""),
    imapMailbox: zod.string().min(1).default("INBOX"),
    imapUseSsl: zod.boolean().default(true),
    smtpHost: text,
    smtpPort: port.default(587),
    smtpUsername: text,
    smtpPassword: zod.string().default(""),
    smtpUseTls: zod.boolean().default(true),
    smtpUseSsl: zod.boolean().default(false),
    caCertificates: zod.string().default(""),
    fromAddress: text,
    fromName: text,
    autoReplyEnabled: zod.boolean().default(true),
    pollIntervalSeconds: zod.number().min(5).default(30),
    markSeen: zod.boolean().default(true),
    maxBodyChars: zod.int().min(1).default(12_000),
    subjectPrefix: zod.string().default("Re: "),
    sessionPer: zod.enum(["thread", "sender"]).default("thread"),
    verifyDkim: zod.boolean().default(true),
    verifySpf: zod.boolean().default(true),
    authServId: zod.string().trim().toLowerCase().default(""),
    allowedAttachmentTypes: zod.array(zod.string().trim().toLowerCase()).default([]),
    maxAttachmentSize: zod.int().min(0).default(2_000_000),
    maxAttachmentsPerEmail: zod.int().min(0).default(5),
    maxPerSender: zod.int().min(1).default(30),
    saveSent: zod.boolean().nullable().default(null),
  });
}

function hostsOf({ imapHost, imapPort, smtpHost, smtpPort }: EmailSection): readonly string[] {
  return [`${bracketed(imapHost)}:${imapPort}`, `${bracketed(smtpHost)}:${smtpPort}`];
}

/** IPv6 addresses stand in brackets before a port. */
function bracketed(host: string): string {
  return host.includes(":") ? `[${host}]` : host;
}

const NEEDED = [
  "imapHost",
  "imapUsername",
  "imapPassword",
  "smtpHost",
  "smtpUsername",
  "smtpPassword",
] as const;

function missingIn(section: EmailSection): readonly string[] {
  const lacks = NEEDED.filter((key) => section[key] === "")
    .map((key) => `channels.email.${key} is missing`);
  if (!section.consentGranted) {
    lacks.push(
      "channels.email.consentGranted is false: set it to true once the owner of the mailbox " +
        "agrees that its mails are read and answered",
    );
  }
  if (lacks.length === 0 && !addressOf(section).includes("@")) {
    lacks.push(
      "channels.email.fromAddress is missing: the name to sign in with is no mail address",
    );
  }
  if (!section.smtpUseSsl && !section.smtpUseTls && !isThisMachine(section.smtpHost)) {
    lacks.push(
      "channels.email.smtpUseTls is false: without TLS mails go out on this machine only",
    );
  }
  return lacks;
}

/** The bot's own address, in lower case. */
export function addressOf({ fromAddress, smtpUsername, imapUsername }: EmailSection): string {
  return (fromAddress || smtpUsername || imapUsername).toLowerCase();
}

/** Whether a connection to `host` stays on this machine, and so may do without TLS. */
export function isThisMachine(host: string): boolean {
  return LOOPBACK.test(host);
}

/** The e-mail channel at rest. Sends have no key: a doubtful one is looked up among those sent. */
export const manifest: ChannelManifest<EmailSection> = {
  name: "email",
  displayName: "E-mail",
  schema: schemaOf,
  hosts: hostsOf,
  secrets: ["imapPassword", "smtpPassword"],
  missing: missingIn,
  sparesMessages: true,
  needsEnvironment: true,
};
