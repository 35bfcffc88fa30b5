/**
 * The law of chaos: whatever was killed, each message is answered once, each command ran once at
 * most, and every file is well-formed.
 * @module
 */

import assert from "node:assert/strict";
import { setTimeout as pause } from "node:timers/promises";
import type { FeishuPlatform } from "../simulators/feishu_server.ts";
import type { GatewayHome } from "../support/gateway_process.ts";
import { until } from "../support/until.ts";
import { answersByMark, faultsInSessions, runsByMark, type SeenChats } from "./marked_talk.ts";

/** Messages of a chat that a failure shows. */
const SEEN_MAX = 6;
/** The platform lives in this process, and answers nobody while its chats are looked at. */
const PAUSE_MS = 200;
/** A gateway whose platform is silent for longer gives its calls up. */
const LOOK_MS_MAX = 5_000;

/** What a run of chaos was made of. */
export interface ChaosWorld {
  readonly home: GatewayHome;
  readonly platform: FeishuPlatform;
  /** Marks `mark0` … up to this number were sent. */
  readonly messages: number;
  readonly timeoutMs: number;
}

/** Waits until all messages are answered; nothing may then be there twice. */
export async function checkNothingLost(
  { home, platform, messages, timeoutMs }: ChaosWorld,
): Promise<void> {
  try {
    await until(() => isEachAnswered(platform, messages), {
      timeoutMs,
      what: "an answer to each message",
    });
  } catch (error) {
    const missing = unansweredMarks(platform, messages);
    const seen = missing.map((mark) => whatIsSeen(platform, mark)).join("\n");
    throw new Error(`Never answered:\n${seen}`, { cause: error });
  }
  const twice = [...answersByMark(platform)].filter(([, count]) => count > 1);
  assert.deepEqual(twice, [], "answered more than once");
  const ranTwice = [...await runsByMark(home)].filter(([, count]) => count > 1);
  assert.deepEqual(ranTwice, [], "ran more than once");
}

/** Marks up to `mark<messages>` that no closed message names, found in one look at the chats. */
export function unansweredMarks(platform: SeenChats, messages: number): string[] {
  const answers = answersByMark(platform);
  const marks = Array.from({ length: messages }, (_, number) => `mark${number}`);
  return marks.filter((mark) => !answers.has(mark));
}

async function isEachAnswered(platform: SeenChats, messages: number): Promise<boolean> {
  await pause(PAUSE_MS);
  const startMs = performance.now();
  const missing = unansweredMarks(platform, messages);
  const tookMs = performance.now() - startMs;
  const isQuick = tookMs <= LOOK_MS_MAX;
  assert.ok(isQuick, `looking silenced the platform for ${tookMs} ms: this tells nothing`);
  return missing.length === 0;
}

/** To be called once the gateway has stopped: what it left on disk. */
export async function checkFiles(home: GatewayHome): Promise<void> {
  assert.deepEqual(await faultsInSessions(home), []);
}

/** The end of the chat of a message, as its person sees it. */
function whatIsSeen(platform: FeishuPlatform, mark: string): string {
  const chat = platform.chats.find(({ messages }) =>
    messages.some(({ text }) => text.includes(mark))
  );
  const lines =
    chat?.messages.slice(-SEEN_MAX).map(({ from, text, card }) =>
      `  ${from}${card?.isStreaming === true ? " (writing)" : ""}: ${text}`
    ) ?? [];
  return [mark, ...lines].join("\n");
}
