/**
 * How a turn comes to what it shows the model: it begins with a message, goes on after an
 * interruption, or goes on with one of its messages alone.
 * @module
 */

import type { Replay } from "./history.ts";
import { firstWaiting, placeOf } from "./incoming.ts";
import type { SessionServices } from "./ports.ts";
import type { SessionLog } from "./session_log.ts";
import type { SessionMemory } from "./session_memory.ts";
import type { TurnSteps } from "./steps.ts";
import { isOfHeartbeat } from "./telling.ts";
import type { TurnHooks } from "./turn_hooks.ts";
import { replayWith } from "./turn_messages.ts";
import type { TurnReader } from "./turn_reader.ts";

/** A turn that has begun. */
export interface Begun {
  /** What it shows the model. */
  readonly replay: Replay;
  /** The system prompt, where it was built on the way. */
  readonly prompt?: string;
  /** Messages waited behind the one that began it, and may wait still. */
  readonly mayLeaveWork: boolean;
}

/** What a turn begins with. */
export interface TurnBeginningOptions {
  readonly services: SessionServices;
  readonly log: SessionLog;
  readonly memory: SessionMemory;
  readonly steps: TurnSteps;
  readonly reader: TurnReader;
  readonly hooks: TurnHooks;
}

/** Of one turn. Each way commits a step; it throws the signal's reason when that aborts before. */
export class TurnBeginning {
  readonly #options: TurnBeginningOptions;

  constructor(options: TurnBeginningOptions) {
    this.#options = options;
  }

  /** Takes the first message that waits; undefined where none does. */
  async first(signal: AbortSignal): Promise<Begun | undefined> {
    const { services, log, memory, steps, reader, hooks } = this.#options;
    const waiting = await firstWaiting(services.journal, log.sessionKey, memory.withdrawn);
    if (waiting === undefined) return undefined;
    const begun = await reader.readFirst(waiting.first);
    signal.throwIfAborted(); // also where it was taken back and the journal could not drop it
    if (memory.notWithdrawn([begun.joining]).length === 0) return await this.first(signal);
    const { heartbeat } = services;
    const isHeartbeat = isOfHeartbeat(waiting.first, heartbeat);
    const recentMax = isHeartbeat ? heartbeat?.recentMessagesMax : undefined;
    const replay = log.conversation.forkReplay(recentMax);
    // What it brings to mind is looked for while the prompt is built and the journal works.
    const [shown, prompt] = await Promise.all([
      begun.show(),
      services.systemPrompt(placeOf(waiting.first).channel, waiting.first),
      steps.begin(begun.joining),
    ]);
    hooks.began(waiting.first, { isAgain: false });
    memory.waiting.began([waiting.first]);
    replay.ownFromNext();
    replay.push(shown);
    return { replay, prompt, mayLeaveWork: waiting.hasMore };
  }

  /** Goes on with those without an answer. The attempt counts before anything is read that may break it. */
  async again(signal: AbortSignal): Promise<Replay> {
    signal.throwIfAborted();
    const { steps, reader, log } = this.#options;
    await steps.resume();
    const read = await reader.readAgain(steps.inbounds);
    return replayWith(log.conversation, read.map(({ shown }) => shown));
  }

  /** Goes on with the first of them alone. */
  async alone(signal: AbortSignal): Promise<Replay> {
    signal.throwIfAborted();
    const { steps, reader, log } = this.#options;
    await steps.resumeAlone();
    const read = await reader.readAgain(steps.inbounds);
    const aside = steps.aside.map(() => null);
    return replayWith(log.conversation, [...read.map(({ shown }) => shown), ...aside]);
  }
}
