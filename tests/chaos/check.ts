/**
 * The law of chaos: whatever was killed, each message is answered once, each command ran once at
 * most, and every file is well-formed.
 * @module
 */

import assert from "node:assert/strict";
import type { FeishuPlatform } from "../simulators/feishu_server.ts";
import type { GatewayHome } from "../support/gateway_process.ts";
import { until } from "../support/until.ts";
import { answersByMark, faultsInSessions, runsByMark } from "./marked_talk.ts";

/** Messages of a chat that a failure shows. */
const SEEN_MAX = 6;

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
  const marks = Array.from({ length: messages }, (_, number) => `mark${number}`);
  const missing = () => marks.filter((mark) => !answersByMark(platform).has(mark));
  try {
    await until(() => missing().length === 0, { timeoutMs, what: "an answer to each message" });
  } catch (error) {
    const seen = missing().map((mark) => whatIsSeen(platform, mark)).join("\n");
    throw new Error(`Never answered:\n${seen}`, { cause: error });
  }
  const twice = [...answersByMark(platform)].filter(([, count]) => count > 1);
  assert.deepEqual(twice, [], "answered more than once");
  const ranTwice = [...await runsByMark(home)].filter(([, count]) => count > 1);
  assert.deepEqual(ranTwice, [], "ran more than once");
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
