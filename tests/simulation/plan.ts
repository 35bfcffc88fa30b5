/**
 * What a seed stands for: the settings, the people and what they write, and what goes wrong when.
 * @module
 */

import { Chance } from "./chance.ts";

/** A platform and how it behaves. */
export interface PlannedChannel {
  readonly name: string;
  readonly isStreaming: boolean;
  /** How long the gateway may repeat a send under one key; 0: the platform has no keys. */
  readonly idempotencyMs: number;
}

/** Something that a person writes. */
export interface PlannedMessage {
  readonly atMs: number;
  readonly channel: string;
  readonly chatId: string;
  readonly text: string;
  readonly media: readonly string[];
}

/** Parts that fail for a while. A platform goes by its channel's name. */
export type FailingPart = "journal" | "disk" | `platform ${string}`;

/** A time in which a part fails. */
export interface Outage {
  readonly part: FailingPart;
  readonly fromMs: number;
  readonly untilMs: number;
  /** Share of the calls that fail, 0 to 1. */
  readonly share: number;
}

/** A whole world before it begins. Times count from its start. */
export interface WorldPlan {
  readonly seed: number;
  /** From here on nothing goes wrong any more, so that all must come to its end. */
  readonly calmFromMs: number;
  readonly permitsMax: number;
  readonly isUnified: boolean;
  readonly sendAttemptsMax: number;
  readonly toolRoundsMax: number;
  readonly sessionIdleMs: number;
  readonly sendsProgress: boolean;
  /** How often the scheduler makes an actor wait. */
  readonly delayShare: number;
  readonly channels: readonly PlannedChannel[];
  readonly messages: readonly PlannedMessage[];
  readonly outages: readonly Outage[];
  /** How often the process ends before the world calms down. */
  readonly endings: number;
}

/** Ways of writing the commands. */
const COMMANDS = ["/stop", "/stop", "/STOP ", "/new", "/new", "/status", "/help"] as const;

/** The plan of a seed. */
export function planOf(seed: number): WorldPlan {
  const chance = new Chance(seed).fork("plan");
  const calmFromMs = chance.between(60, 400) * 1_000;
  const channels = planChannels(chance);
  return {
    seed,
    calmFromMs,
    permitsMax: chance.weighted([[1, 3], [2, 3], [3, 3], [0, 1]]),
    isUnified: chance.happens(0.15),
    sendAttemptsMax: chance.between(1, 4),
    toolRoundsMax: chance.between(1, 6),
    sessionIdleMs: chance.between(1, 60) * 1_000,
    sendsProgress: chance.happens(0.7),
    delayShare: chance.pick([0, 0.02, 0.2]),
    channels,
    messages: planMessages(chance, channels, calmFromMs),
    outages: planOutages(chance, channels, calmFromMs),
    endings: chance.weighted([[0, 2], [1, 3], [2, 3], [4, 2], [8, 1]]),
  };
}

function planChannels(chance: Chance): readonly PlannedChannel[] {
  const hourMs = 3_600_000;
  return [
    { name: "stream", isStreaming: true, idempotencyMs: hourMs },
    { name: "plain", isStreaming: false, idempotencyMs: chance.happens(0.7) ? hourMs : 0 },
  ];
}

function planMessages(
  chance: Chance,
  channels: readonly PlannedChannel[],
  untilMs: number,
): readonly PlannedMessage[] {
  const messages: PlannedMessage[] = [];
  for (const { name: channel } of channels) {
    const chats = chance.between(1, 3);
    for (let chat = 1; chat <= chats; chat++) {
      const count = chance.between(1, 12);
      let atMs = chance.between(0, 10_000);
      for (let n = 0; n < count && atMs < untilMs; n++) {
        messages.push({ atMs, channel, chatId: `chat${chat}`, ...planWords(chance, messages) });
        atMs += chance.weighted([[0, 1], [chance.between(20, 800), 4], [
          chance.between(1_000, 30_000),
          5,
        ], [chance.between(30_000, 120_000), 1]]);
      }
    }
  }
  return messages.toSorted((a, b) => a.atMs - b.atMs);
}

/** Each message that is none of a command's carries a mark of its own. */
function planWords(
  chance: Chance,
  before: readonly unknown[],
): Pick<PlannedMessage, "text" | "media"> {
  if (chance.happens(0.2)) return { text: chance.pick(COMMANDS), media: [] };
  const mark = `#m${before.length + 1}`;
  const text = chance.weighted([[mark, 8], [`${mark} é中🦜\n${"long ".repeat(40)}`, 2], [
    `/unknown ${mark}`,
    1,
  ]]);
  return { text, media: chance.happens(0.1) ? [`/media/${before.length}.png`] : [] };
}

function planOutages(
  chance: Chance,
  channels: readonly PlannedChannel[],
  untilMs: number,
): readonly Outage[] {
  const parts: FailingPart[] = ["journal", "disk"];
  for (const { name } of channels) parts.push(`platform ${name}`);
  return parts.flatMap((part) => {
    const count = chance.weighted([[0, 5], [1, 3], [2, 1]]);
    return Array.from({ length: count }, (): Outage => {
      const fromMs = chance.between(0, untilMs);
      const lastsMs = chance.weighted([[chance.between(10, 2_000), 2], [
        chance.between(2_000, 90_000),
        2,
      ]]);
      const share = chance.pick([1, 1, 0.5, 0.2]);
      return { part, fromMs, untilMs: Math.min(fromMs + lastsMs, untilMs), share };
    });
  });
}
