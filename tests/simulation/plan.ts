/**
 * What a seed stands for: the settings, the people and what they write, and what goes wrong when.
 * @module
 */

import type { Retention } from "../../actors/gateway/journal_keeper.ts";
import { Chance } from "./chance.ts";
import type { PlannedJob } from "./jobs.ts";

const DAY_SECONDS = 86_400;

/** A platform and how it behaves. */
export interface PlannedChannel {
  readonly name: string;
  readonly isStreaming: boolean;
  /** How long the gateway may repeat a send under one key; 0: the platform has no keys. */
  readonly idempotencyMs: number;
  /** The platform can be asked what it has shown. */
  readonly canLookUp: boolean;
}

/** Something that a person writes. */
export interface PlannedMessage {
  readonly atMs: number;
  readonly channel: string;
  readonly chatId: string;
  readonly text: string;
  readonly media: readonly string[];
  /** The channel hears of it before it has its text. */
  readonly isDraft: boolean;
  /** Taken back this long after it was written. */
  readonly takenBackAfterMs: number | undefined;
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
  /** Who hears of alarms, as `channel:chat`. */
  readonly owners: readonly string[];
  readonly sendAttemptsMax: number;
  readonly toolRoundsMax: number;
  readonly sessionIdleMs: number;
  /** Sessions awake at once. */
  readonly awakeMax: number;
  /** How long finished rows stay; for ever without. */
  readonly retention: Retention | undefined;
  readonly sendsProgress: boolean;
  /** The model starts subagents, and this many work at once; 0: it has none. */
  readonly subagentsMax: number;
  /** Until a person pauses them, {@link JOBS_PAUSED_MS} after the calm. */
  readonly jobs: readonly PlannedJob[];
  /** How often an actor fails at a message, before or after it handled that. */
  readonly actorFailureShare: number;
  /** How often a commit takes seconds. */
  readonly slowCommitShare: number;
  /** So often somebody writes a command and a message while a turn and a slow commit are under way. */
  readonly interjections: number;
  /** How often the model finds a conversation too long, for once that it fails in another way. */
  readonly tooLongWeight: number;
  /** How often the scheduler makes an actor wait. */
  readonly delayShare: number;
  readonly channels: readonly PlannedChannel[];
  readonly messages: readonly PlannedMessage[];
  /** In some worlds: written so long (`atMs`) after the last of `messages` has come to its end. */
  readonly lastWord: PlannedMessage | undefined;
  readonly outages: readonly Outage[];
  /** How often the process ends before the world calms down; also where a result comes late, if ever. */
  readonly endings: number;
}

/** So long after the world has calmed down. */
export const JOBS_PAUSED_MS = 150_000;

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
    owners: chance.pick([[], ["plain:chat1"], ["stream:chat9", "plain:chat1"]]),
    sendAttemptsMax: chance.between(1, 4),
    toolRoundsMax: chance.between(1, 6),
    sessionIdleMs: chance.pick([chance.between(1, 60), chance.between(1_000, 60_000)]),
    ...planLimits(new Chance(seed).fork("limits")),
    jobs: planJobs(new Chance(seed).fork("jobs"), calmFromMs),
    sendsProgress: chance.happens(0.7),
    subagentsMax: new Chance(seed).fork("subagents").weighted([[0, 6], [1, 1], [3, 1]]),
    actorFailureShare: chance.pick([0, 0, 0.002, 0.01]),
    slowCommitShare: chance.pick([0, 0, 0.004, 0.03]),
    interjections: new Chance(seed).fork("interjections").weighted([[0, 3], [3, 1]]),
    tooLongWeight: new Chance(seed).fork("too long").weighted([[1, 3], [20, 1]]),
    delayShare: chance.pick([0, 0.02, 0.2]),
    channels,
    ...withLastWords(
      planMessages(chance, channels, calmFromMs),
      new Chance(seed).fork("last words"),
    ),
    outages: planOutages(chance, channels, calmFromMs),
    endings: chance.weighted([[0, 2], [1, 3], [2, 3], [4, 2], [8, 1]]),
  };
}

function planLimits(chance: Chance): Pick<WorldPlan, "awakeMax" | "retention"> {
  return {
    awakeMax: chance.weighted([[1_000, 8], [1, 1], [2, 1], [3, 1]]),
    retention: chance.weighted<Retention | undefined>([[undefined, 2], [{
      // Beyond the slowest commit, or a row would end and go in one, and nobody would see its end.
      finishedDays: chance.between(10, 200) / DAY_SECONDS,
      // Beyond the last time that a platform may send a message again.
      dedupeDays: 2_400 / DAY_SECONDS,
    }, 1]]),
  };
}

function planJobs(chance: Chance, untilMs: number): readonly PlannedJob[] {
  const count = chance.weighted([[0, 3], [1, 1], [3, 1]]);
  return Array.from({ length: count }, (_, index): PlannedJob => {
    const missedRuns = chance.pick(["skip", "once", "all"] as const);
    // What is made up for one by one must get done before the jobs are paused.
    const isShort = missedRuns !== "all" && chance.happens(0.5);
    const everyMs = (isShort ? chance.between(10, 20) : chance.between(60, 120)) * 1_000;
    const firstMs = chance.between(1, untilMs);
    const isSingle = chance.happens(0.25);
    // Now and then no gateway ran when it was due.
    const isOver = isSingle && chance.happens(0.3);
    return {
      id: `job${index + 1}`,
      firstMs: isOver ? -chance.between(1, 600_000) : firstMs,
      everyMs: isSingle ? null : everyMs,
      missedRuns,
      chat: chance.happens(0.3)
        ? null
        : { channel: chance.pick(["stream", "plain"]), chatId: "chat1" },
    };
  });
}

function planChannels(chance: Chance): readonly PlannedChannel[] {
  const hourMs = 3_600_000;
  const shortMs = 20_000; // so that keys wear out within a run
  const draw = (name: string, isStreaming: boolean, withoutKeys: number): PlannedChannel => ({
    name,
    isStreaming,
    idempotencyMs: chance.weighted([[hourMs, 4], [shortMs, 2], [0, withoutKeys]]),
    canLookUp: chance.happens(0.6),
  });
  return [draw("stream", true, 0), draw("plain", false, 3)];
}

function planMessages(
  chance: Chance,
  channels: readonly PlannedChannel[],
  untilMs: number,
): readonly PlannedMessage[] {
  const messages: PlannedMessage[] = [];
  const habits = {
    draftShare: chance.pick([0, 0.1, 0.5]),
    takeBackShare: chance.pick([0, 0.05, 0.3]),
  };
  for (const { name: channel } of channels) {
    const chats = chance.between(1, 3);
    for (let chat = 1; chat <= chats; chat++) {
      const count = chance.weighted([[chance.between(1, 12), 16], [30, 3], [90, 1]]);
      const pace = chance.weighted([[1, 4], [0.05, 1]]);
      let atMs = chance.between(0, 10_000);
      for (let n = 0; n < count && atMs < untilMs; n++) {
        messages.push({
          atMs,
          channel,
          chatId: `chat${chat}`,
          ...planWords(chance, habits, messages),
        });
        atMs += Math.round(
          pace * chance.weighted([
            [0, 1],
            [chance.between(20, 800), 4],
            [chance.between(1_000, 30_000), 5],
            [chance.between(30_000, 120_000), 1],
          ]),
        );
      }
    }
  }
  return messages.toSorted((a, b) => a.atMs - b.atMs);
}

/**
 * In some worlds the last that is written meets a session that nothing else would wake: behind a
 * draft that is taken back, or while the session falls asleep after an answer.
 */
function withLastWords(
  messages: readonly PlannedMessage[],
  chance: Chance,
): Pick<WorldPlan, "messages" | "lastWord"> {
  const last = messages.at(-1);
  const kind = chance.weighted([["none", 3], ["behind a draft", 1], ["after the answer", 1]]);
  if (last === undefined || kind === "none") return { messages, lastWord: undefined };
  const { channel, chatId } = last;
  const written = { channel, chatId, media: [], isDraft: false, takenBackAfterMs: undefined };
  const number = messages.length + 1;
  if (kind === "after the answer") {
    return {
      messages,
      lastWord: { ...written, text: `#m${number}`, atMs: chance.between(0, 100) },
    };
  }
  const atMs = last.atMs + chance.between(0, 60_000);
  const takenBackAfterMs = chance.between(800, 2_500);
  const draft = { ...written, atMs, text: `#m${number}`, isDraft: true, takenBackAfterMs };
  const behind = { ...written, atMs: atMs + chance.between(0, 400), text: `#m${number + 1}` };
  return { messages: [...messages, draft, behind], lastWord: undefined };
}

/** How people write. */
interface Habits {
  readonly draftShare: number;
  readonly takeBackShare: number;
}

/** Each message that is no command carries a mark of its own. */
function planWords(
  chance: Chance,
  { draftShare, takeBackShare }: Habits,
  before: readonly unknown[],
): Omit<PlannedMessage, "atMs" | "channel" | "chatId"> {
  const takenBackAfterMs = chance.happens(takeBackShare)
    ? chance.between(50, chance.pick([1_500, 8_000]))
    : undefined;
  if (chance.happens(0.2)) {
    return { text: chance.pick(COMMANDS), media: [], isDraft: false, takenBackAfterMs };
  }
  const mark = `#m${before.length + 1}`;
  const text = chance.weighted([
    [mark, 8],
    [`${mark} é中🦜\n${"long ".repeat(40)}`, 2],
    [`/unknown ${mark}`, 1],
  ]);
  const media = chance.happens(0.1) ? [`/media/${before.length}.png`] : [];
  return { text, media, isDraft: chance.happens(draftShare), takenBackAfterMs };
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
