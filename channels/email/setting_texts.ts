/**
 * What the keys of the E-mail section are for.
 * @module
 */

import type { SettingTexts } from "../../actors/config/descriptions/setting_text.ts";

/** By key of the section. */
export const texts: SettingTexts = {
  enabled: "Starts the channel.",
  allowFrom: 'Mail addresses of those who may write, or `"*"` for everyone.',
  consentGranted: "The owner of the mailbox agrees to its mails being read and answered. Needed.",
  imapHost: "Server whose mailbox is read. Needed.",
  imapPort: "Its port.",
  imapUsername: "Name at that server. Needed.",
  imapPassword: "Password at that server. Needed.",
  imapMailbox: "The folder that is read.",
  imapUseSsl: "TLS from the start; otherwise STARTTLS is demanded, except on this machine.",
  smtpHost: "Server that sends. Needed.",
  smtpPort: "Its port.",
  smtpUsername: "Name at that server. Needed.",
  smtpPassword: "Password at that server. Needed.",
  smtpUseTls: "STARTTLS is demanded.",
  smtpUseSsl: "TLS from the start (port 465).",
  caCertificates:
    "Certificates that are trusted besides those of the system, as PEM text. Empty: none.",
  fromAddress: "The bot's address. Empty: the name at the sending server.",
  fromName: "The bot's name beside its address. Empty: none.",
  autoReplyEnabled: "Answers go out; otherwise only what the assistant sends by itself.",
  pollIntervalSeconds: "Seconds between two looks, where the server does not tell by itself.",
  markSeen: "Mails that were taken are marked as read.",
  maxBodyChars: "Characters of a mail that count; longer ones are cut.",
  subjectPrefix: "Stands before the subject of an answer, unless it begins so.",
  sessionPer: "What is a conversation: each thread, or all mails of a sender.",
  verifyDkim: "The sender's domain must have signed.",
  verifySpf: "A server of the sender's domain must have sent.",
  authServId: "By what name the own server signs its checks. Empty: learned from the mailbox.",
  allowedAttachmentTypes:
    "MIME types of attachments that are kept, such as `image/*`; `*` stands for anything. Empty: none.",
  maxAttachmentSize: "Bytes of the largest attachment that is kept.",
  maxAttachmentsPerEmail: "Attachments of one mail that are kept.",
  maxPerSender:
    "Mails of one sender in ten minutes; more are taken for two programs that answer each other.",
  saveSent: "Copies what is sent into the folder for it. null: where the server does not.",
};
