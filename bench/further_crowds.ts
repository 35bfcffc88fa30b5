/**
 * People on the platforms whose Workers are measured and not compared under load.
 * @module
 */

import { join } from "node:path";
import { systemClock } from "../actors/kernel/adapters/system_clock.ts";
import { loadLibrary } from "../channels/whatsapp/adapters/library.ts";
import { DingTalkPlatform } from "../tests/simulators/dingtalk_server.ts";
import { BOT, EmailPlatform } from "../tests/simulators/email_server.ts";
import { QqPlatform } from "../tests/simulators/qq_server.ts";
import { WebsocketClient } from "../tests/simulators/websocket_client.ts";
import { libraryThatTrusts, linkDevice } from "../tests/simulators/whatsapp/linked_device.ts";
import { textIn } from "../tests/simulators/whatsapp/seen.ts";
import { WhatsAppPlatform } from "../tests/simulators/whatsapp_server.ts";
import { freePort } from "../tests/support/free_port.ts";
import type { Crowd } from "../tests/support/platform_crowds.ts";

/** A platform with people on it; hold it with `await using`. */
export interface FurtherCrowd
  extends Pick<Crowd, "channel" | "section" | "people" | "say" | "answers">, AsyncDisposable {
  /** What the gateway's home must hold before. @returns flags of its program */
  readonly prepare?: (home: string) => Promise<readonly string[]>;
}

/** Puts `people` on each platform. */
export async function gatherFurtherCrowds(people: number): Promise<readonly FurtherCrowd[]> {
  return [
    emailCrowd(people),
    websocketCrowd(people),
    dingtalkCrowd(people),
    qqCrowd(people),
    await whatsappCrowd(people),
  ];
}

function emailCrowd(people: number): FurtherCrowd {
  const platform = new EmailPlatform({ clock: systemClock });
  const addressOf = (person: number): string => `person${person}@example.net`;
  let mailCount = 0;
  return {
    channel: "email",
    section: {
      ...{ ...platform.servers, enabled: true, consentGranted: true },
      ...{ imapUsername: BOT, imapPassword: platform.password, imapUseSsl: false },
      ...{ smtpUsername: BOT, smtpPassword: platform.password, smtpUseTls: false },
      allowFrom: Array.from({ length: people }, (_, person) => addressOf(person)),
      authServId: "mx.example.org",
    },
    people,
    say: (person, text) =>
      void platform.deliver(
        "Authentication-Results: mx.example.org; dmarc=pass header.from=example.net\n" +
          "Received: from mail.example.net by mx.example.org; Mon, 30 Nov 2026 07:00:00 +0000\n" +
          `From: <${addressOf(person)}>\nTo: ${BOT}\nSubject: ${text}\n` +
          `Message-ID: <${++mailCount}@example.net>\n\n${text}\n`,
      ),
    answers: (person) =>
      platform.posted.filter(({ to }) => to.includes(addressOf(person))).map(() => "a mail"),
    [Symbol.asyncDispose]: () => platform[Symbol.asyncDispose](),
  };
}

function websocketCrowd(people: number): FurtherCrowd {
  const port = freePort();
  const token = "a-token";
  const clients = Array.from({ length: people }, (_, person) => {
    const clientId = `person${person}`;
    return new WebsocketClient({ place: `127.0.0.1:${port}`, clientId, chatId: clientId, token });
  });
  let saidCount = 0;
  return {
    channel: "websocket",
    section: { enabled: true, port, token, streaming: false },
    people,
    say: (person, content) => clients[person]?.say(`m${++saidCount}`, { content }),
    answers: (person) => (clients[person]?.messages ?? []).map(({ text }) => text),
    [Symbol.asyncDispose]: () => {
      for (const client of clients) client[Symbol.dispose]();
      return Promise.resolve();
    },
  };
}

function dingtalkCrowd(people: number): FurtherCrowd {
  // What comes before the robot listens is brought again soon.
  const platform = DingTalkPlatform.start({ repeatMs: 2_000 });
  const idOf = (person: number): string => `person${person}`;
  for (let person = 0; person < people; person++) platform.addPerson(idOf(person), idOf(person));
  const { clientId, clientSecret, url } = platform;
  return {
    channel: "dingtalk",
    section: {
      ...{ enabled: true, allowFrom: ["*"], clientId, clientSecret, reactEmoji: null },
      ...{ apiBase: url, oapiBase: url },
    },
    people,
    say: (person, text) => void platform.userSays({ from: idOf(person), text }),
    answers: (person) =>
      platform.world.messages.filter(({ to }) => to === idOf(person)).map(({ msgKey }) => msgKey),
    [Symbol.asyncDispose]: () => platform[Symbol.asyncDispose](),
  };
}

function qqCrowd(people: number): FurtherCrowd {
  const platform = new QqPlatform(systemClock);
  const idOf = (person: number): string => `E4F4AEA33253A2797FB897C50B81D7E${person}`;
  const { appId, secret, url } = platform;
  return {
    channel: "qq",
    section: { enabled: true, appId, secret, allowFrom: ["*"], apiBase: url, authBase: url },
    people,
    say: (person, text) => void platform.userSays({ from: idOf(person), text }),
    answers: (person) => platform.shown(idOf(person)).map(({ text }) => text),
    [Symbol.asyncDispose]: () => platform[Symbol.asyncDispose](),
  };
}

async function whatsappCrowd(people: number): Promise<FurtherCrowd> {
  await loadLibrary(); // Signal's own words about the phone's sessions stay off the console
  const platform = new WhatsAppPlatform();
  const phones = Array.from({ length: people }, (_, person) => {
    const place = { lid: `80000000000000${person}`, name: `Person ${person}` };
    return platform.addPerson(`1555123000${person}`, place);
  });
  return {
    channel: "whatsapp",
    section: { enabled: true, allowFrom: ["*"], reactEmoji: null, serverUrl: platform.url },
    people,
    say: (person, conversation) => {
      const from = phones[person];
      if (from !== undefined) platform.userSays({ from, message: { conversation } });
    },
    answers: (person) =>
      platform.chats.of(phones[person]?.phoneJid ?? "").map(({ message }) => textIn(message)),
    prepare: async (home) => {
      linkDevice(platform, join(home, "state", "channels", "whatsapp"));
      return [`--import-map=${await libraryThatTrusts(platform, home)}`];
    },
    [Symbol.asyncDispose]: () => platform[Symbol.asyncDispose](),
  };
}
