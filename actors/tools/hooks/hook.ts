/**
 * One hook: gets its events one by one, in the order of each conversation, and costs others nothing
 * when it hangs, fails or talks nonsense.
 * @module
 */

import { getLogger } from "@logtape/logtape";
import { KeyedTurns } from "../../../channels/keyed_turns.ts";
import { Limiter } from "../../../channels/media/limiter.ts";
import type { HookEventName } from "../../config/schema/hooks.ts";
import { untilAborted } from "../../kernel/aborting.ts";
import type { Clock } from "../../kernel/clock.ts";
import { Deadline } from "../../kernel/deadline.ts";
import { asError, GatewayError } from "../../kernel/errors.ts";
import type { JsonObject, JsonValue } from "../../kernel/json.ts";
import { LinkedSignal } from "../../kernel/linked_signal.ts";
import { parseAnswer } from "./hook_event.ts";

const logger = getLogger(["troupe", "tools", "hooks"]);

/** Runs of one hook at once, each for another conversation. */
const AT_ONCE_MAX = 4;
/** News that wait for one hook; what comes past it is lost to it. */
const WAITING_MAX = 1_000;
/** After so many failures in a row a hook is left alone for a while: each may take its whole time. */
const FAILURES_MAX = 3;
const REST_MS = 60_000;
/** Longest event: whoever checks a call has to see all of it. */
const EVENT_CHARS_MAX = 2_000_000;

/** A hook did not do its work. */
export class HookError extends GatewayError {
  override readonly name = "HookError";
  readonly code = "hook_failed";
  readonly recovery = "give_up";
}

/** Hands an event to the owner's code, and gives what it said; null for nothing. */
export type RunHook = (event: JsonObject, signal: AbortSignal) => Promise<JsonValue>;

/** What a hook is made of. */
export interface HookOptions {
  readonly name: string;
  readonly on: ReadonlySet<HookEventName>;
  /** Whether it is for calls of a tool. */
  readonly isFor: (tool: string) => boolean;
  readonly timeoutMs: number;
  /** What becomes of a call that it gave no proper answer about. */
  readonly onFailure: "allow" | "refuse";
  readonly run: RunHook;
}

/** A hook at work. */
export class Hook {
  readonly #options: HookOptions;
  readonly #clock: Clock;
  readonly #ending: AbortSignal;
  readonly #lanes = new KeyedTurns();
  readonly #room = new Limiter(AT_ONCE_MAX);
  readonly #underWay = new Set<Promise<unknown>>();
  #waiting = 0;
  #isFull = false;
  #failures = 0;
  #restsUntilMs = 0;

  /** @param ending ends what it does */
  constructor(options: HookOptions, clock: Clock, ending: AbortSignal) {
    this.#options = options;
    this.#clock = clock;
    this.#ending = ending;
  }

  /** Whether it wants to hear of an event, of a tool or none. */
  hears(event: HookEventName, tool: string | undefined): boolean {
    const { on, isFor } = this.#options;
    return on.has(event) && (tool === undefined || isFor(tool));
  }

  /** Tells it of something; nobody waits for that. */
  tell(event: JsonObject, lane: string): void {
    if (this.#isResting || this.#ending.aborted) return;
    if (this.#waiting >= WAITING_MAX) return this.#overflow();
    this.#isFull = false;
    this.#waiting++;
    void this.#kept(this.#lanes.run(lane, async () => {
      this.#waiting--;
      if (this.#isResting) return;
      try {
        await this.#run(event, this.#ending);
        this.#failures = 0;
      } catch (error) {
        this.#failed(event, asError(error));
      }
    }));
  }

  /**
   * Why it refuses a call; null when it does not.
   *
   * @throws the signal's reason when it aborts
   */
  async decide(event: JsonObject, lane: string, signal: AbortSignal): Promise<string | null> {
    signal.throwIfAborted();
    using linked = new LinkedSignal(signal, this.#ending);
    const asking = this.#kept(this.#lanes.run(lane, () => this.#ask(event, linked.signal)));
    return await untilAborted(asking, signal);
  }

  /** Waits until nothing is under way or waits. */
  async settled(): Promise<void> {
    await Promise.allSettled(this.#underWay);
  }

  get #isResting(): boolean {
    return this.#clock.now() < this.#restsUntilMs;
  }

  async #ask(event: JsonObject, signal: AbortSignal): Promise<string | null> {
    const { name } = this.#options;
    if (this.#isResting) return this.#withoutAnswer("it failed again and again, and rests");
    try {
      const said = await this.#run(event, signal);
      const answer = parseAnswer(said);
      if (answer === undefined) throw new HookError("it said what is no answer");
      this.#failures = 0;
      const isRefused = answer?.decision === "refuse";
      return isRefused ? `the hook "${name}" refused it: ${answer.reason}` : null;
    } catch (thrown) {
      signal.throwIfAborted();
      const error = asError(thrown);
      this.#failed(event, error);
      return this.#withoutAnswer(error.message);
    }
  }

  #withoutAnswer(why: string): string | null {
    const { name, onFailure } = this.#options;
    if (onFailure === "allow") return null;
    return `the hook "${name}" has to agree, and gave no answer (${why})`;
  }

  async #run(event: JsonObject, signal: AbortSignal): Promise<JsonValue> {
    const { run, timeoutMs } = this.#options;
    if (JSON.stringify(event).length > EVENT_CHARS_MAX) {
      throw new HookError("the event is too long to be handed over");
    }
    return await this.#room.run(async () => {
      signal.throwIfAborted();
      using deadline = new Deadline(this.#clock, timeoutMs, {
        signal,
        makeReason: () => new HookError(`it took longer than ${timeoutMs / 1_000} s`),
      });
      return await untilAborted(run(event, deadline.signal), deadline.signal);
    });
  }

  #failed(event: JsonObject, error: Error): void {
    if (this.#ending.aborted) return;
    const { name } = this.#options;
    const details = { name, event: String(event["event"]), reason: error.message };
    logger.warn("Hook {name} failed on {event}: {reason}", details);
    if (++this.#failures < FAILURES_MAX) return;
    this.#restsUntilMs = this.#clock.now() + REST_MS;
    logger.error("Hook {name} failed {count} times in a row, and rests for {seconds} s", {
      name,
      count: this.#failures,
      seconds: REST_MS / 1_000,
    });
  }

  #overflow(): void {
    if (!this.#isFull) {
      logger.warn("Hook {name} is too slow: it does not hear of what happens meanwhile", {
        name: this.#options.name,
      });
    }
    this.#isFull = true;
  }

  #kept<T>(work: Promise<T>): Promise<T> {
    this.#underWay.add(work);
    const forget = () => this.#underWay.delete(work);
    work.then(forget, forget);
    return work;
  }
}
