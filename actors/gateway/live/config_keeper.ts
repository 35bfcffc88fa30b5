/**
 * Notices edits of the configuration, reads them when they have come to rest, and has them applied;
 * a wrong one changes nothing and is told once.
 * @module
 */

import { getLogger } from "@logtape/logtape";
import type { LoadedConfig } from "../../config/load_config.ts";
import type { Actor, ActorContext, ActorDefinition, Outcome } from "../../kernel/actor.ts";
import type { Timer } from "../../kernel/clock.ts";
import { asError, GatewayError } from "../../kernel/errors.ts";
import { unreachable } from "../../kernel/invariant.ts";
import type { ActorRef, ReplyTo } from "../../kernel/ref.ts";
import type { AlarmMessage } from "../owner_notices.ts";
import type { ConfigChanges } from "./changes.ts";

const logger = getLogger(["troupe", "gateway", "config_keeper"]);

/** An editor may write more than once; what it leaves after this long is read. */
const QUIET_MS = 300;
/** Somebody who saves all the time is not waited for longer. */
const QUIET_MS_MAX = 3_000;
/** Where the system tells of no change (a network disk), it is noticed within this. */
const LOOK_MS = 5_000;
const GONE = "Cannot read the configuration: the file is gone; put it back, or stop the gateway";
/** Under this subject the owners hear of edits. */
const SUBJECT = "config";

/** The file, and how it is read. */
export interface ConfigEdits {
  /** @throws {ConfigError} with one line for each mistake */
  readonly reload: () => Promise<LoadedConfig>;
  /** Something that each edit of the file changes; null where there is no file. */
  readonly stamp: () => Promise<string | null>;
  /** Calls back when the file may have changed, as far as the system tells. */
  readonly watch: (onChange: () => void) => Disposable;
}

/** What the keeper works with. */
export interface ConfigKeeperOptions {
  readonly edits: ConfigEdits;
  /**
   * Applies a configuration.
   *
   * @throws {GatewayError} when it cannot be used; then nothing of it was applied
   */
  readonly apply: (next: LoadedConfig) => Promise<ConfigChanges>;
  readonly alarms: ActorRef<AlarmMessage>;
  readonly print: (line: string) => void;
}

/** How it stands with the configuration. */
export interface ConfigReport {
  /** refused: what is in the file now is not applied. */
  readonly state: "applied" | "refused";
  /** One line for each mistake; null where there is none. */
  readonly problem: string | null;
  /** Keys whose change waits for the next start. */
  readonly waiting: readonly string[];
  /** Epoch milliseconds of the last edit that was applied; null before the first. */
  readonly appliedAtMs: number | null;
}

/** What came of a look at the file. */
export type ConfigOutcome =
  | { readonly state: "unchanged" }
  | { readonly state: "applied"; readonly changes: ConfigChanges }
  | { readonly state: "refused"; readonly problem: string };

type Examined =
  | { readonly state: "read"; readonly stamp: string | null; readonly outcome: ConfigOutcome }
  /** It was written while it was read. */
  | { readonly state: "moving" };

/** What others tell the keeper. */
export type ConfigKeeperMessage =
  | { readonly type: "file_stirred" }
  /** Read the file now, changed or not. */
  | { readonly type: "reload_config"; readonly replyTo: ReplyTo<ConfigOutcome> }
  | { readonly type: "report_config"; readonly replyTo: ReplyTo<ConfigReport> };

type Message =
  | ConfigKeeperMessage
  | { readonly type: "look_due" }
  | { readonly type: "quiet_over" }
  | { readonly type: "examined"; readonly outcome: Outcome<Examined> };

/** All that the keeper understands. */
export type ConfigKeeperActorMessage = Message;

/** Defines the keeper. What it knows of the file outlives a restart of the actor. */
export function configKeeperActor(
  options: ConfigKeeperOptions,
): ActorDefinition<ConfigKeeperActorMessage> {
  const known = new Known();
  return { name: "config_keeper", create: (context) => new ConfigKeeper(context, options, known) };
}

class Known {
  /** Undefined before the first look, which finds what was edited as the gateway started. */
  stamp: string | null | undefined;
  /** At the last look there was no file, where there had been one. */
  isGone = false;
  problem: string | null = null;
  waiting: readonly string[] = [];
  appliedAtMs: number | null = null;
}

class ConfigKeeper implements Actor<Message> {
  readonly #context: ActorContext<Message>;
  readonly #options: ConfigKeeperOptions;
  readonly #known: Known;
  readonly #watch: Disposable;
  /** Who asked for a look that has not begun. */
  #waiting: ReplyTo<ConfigOutcome>[] = [];
  /** Who asked for the one that is under way. */
  #served: ReplyTo<ConfigOutcome>[] = [];
  #quiet: Timer | undefined;
  #stirredAtMs: number | undefined;
  #isBusy = false;

  constructor(
    context: ActorContext<Message>,
    options: ConfigKeeperOptions,
    known: Known,
  ) {
    this.#context = context;
    this.#options = options;
    this.#known = known;
    this.#watch = options.edits.watch(() => context.self.tell({ type: "file_stirred" }));
    this.#lookLater();
  }

  receive(message: Message): void {
    switch (message.type) {
      case "file_stirred":
        return this.#stirred();
      case "look_due":
        this.#lookLater();
        return this.#examine({ isForced: false });
      case "quiet_over":
        this.#stirredAtMs = undefined;
        return this.#examine({ isForced: false });
      case "reload_config":
        this.#waiting.push(message.replyTo);
        return this.#examine({ isForced: true });
      case "report_config":
        return message.replyTo.reply(this.#report());
      case "examined":
        return this.#examined(message.outcome);
      default:
        return unreachable(message);
    }
  }

  stopped(): void {
    this.#watch[Symbol.dispose]();
  }

  #lookLater(): void {
    this.#context.after(LOOK_MS, { type: "look_due" });
  }

  #stirred(): void {
    const nowMs = this.#context.clock.now();
    this.#stirredAtMs ??= nowMs;
    const leftMs = Math.max(0, this.#stirredAtMs + QUIET_MS_MAX - nowMs);
    this.#quiet?.cancel();
    this.#quiet = this.#context.after(Math.min(QUIET_MS, leftMs), { type: "quiet_over" });
  }

  #examine({ isForced }: { readonly isForced: boolean }): void {
    if (this.#isBusy) return this.#stirred();
    // Whoever edits right now is let finish; a look in between would only see halves.
    if (!isForced && this.#stirredAtMs !== undefined) return;
    this.#isBusy = true;
    this.#served = this.#waiting;
    this.#waiting = [];
    const { stamp, isGone } = this.#known;
    this.#context.pipe(
      // One that was gone and is back need not have changed: it is read all the same.
      () => examine(this.#options, { known: stamp, isForced: isForced || isGone }),
      (outcome) => ({ type: "examined", outcome }),
    );
  }

  #examined(outcome: Outcome<Examined>): void {
    this.#isBusy = false;
    if (outcome.state === "failed") {
      const { message } = outcome.error;
      logger.error("Cannot look at the configuration: {reason}", { reason: message });
      this.#answer({ state: "refused", problem: message });
    } else if (outcome.value.state === "moving") {
      this.#waiting.unshift(...this.#served.splice(0));
      return this.#stirred();
    } else this.#seen(outcome.value);
    // What was written since that look began is not what these asked about.
    if (this.#waiting.length > 0) this.#examine({ isForced: true });
  }

  #seen({ stamp, outcome: found }: Exclude<Examined, { state: "moving" }>): void {
    this.#known.stamp = stamp;
    this.#known.isGone = found.state === "refused" && found.problem === GONE;
    if (found.state === "refused") this.#refused(found.problem);
    if (found.state === "applied") this.#applied(found.changes);
    this.#answer(found);
  }

  #answer(outcome: ConfigOutcome): void {
    for (const replyTo of this.#served.splice(0)) replyTo.reply(outcome);
  }

  #refused(problem: string): void {
    if (problem === this.#known.problem) return;
    this.#known.problem = problem;
    const { alarms, print } = this.#options;
    for (const line of problem.split("\n")) print(`Config: not applied: ${line}`);
    alarms.tell({ type: "alarm_cleared", subject: SUBJECT }); // another mistake is told anew
    alarms.tell({
      type: "alarm_raised",
      subject: SUBJECT,
      text: "The edited configuration was not applied; the gateway goes on with the one before. " +
        problem,
    });
  }

  #applied(changes: ConfigChanges): void {
    const { alarms, print } = this.#options;
    const known = this.#known;
    const isMended = known.problem !== null;
    const isNews = changes.applied.length + changes.channels.length > 0;
    if (isMended) alarms.tell({ type: "alarm_cleared", subject: SUBJECT });
    if (isMended && !isNews) print("Config: as it was");
    known.problem = null;
    for (const line of changeLines(changes, known.waiting)) print(line);
    known.waiting = changes.waiting;
    if (isNews || isMended) known.appliedAtMs = this.#context.clock.now();
  }

  #report(): ConfigReport {
    const { problem, waiting, appliedAtMs } = this.#known;
    return { state: problem === null ? "applied" : "refused", problem, waiting, appliedAtMs };
  }
}

/** Reads the file if it is not as it was at `known`. */
async function examine(
  { edits, apply }: ConfigKeeperOptions,
  { known, isForced }: {
    readonly known: string | null | undefined;
    readonly isForced: boolean;
  },
): Promise<Examined> {
  const stamp = await edits.stamp();
  const read = (outcome: ConfigOutcome): Examined => ({ state: "read", stamp, outcome });
  // A file that is gone is no wish for a gateway without channels.
  const isGone = stamp === null && typeof known === "string";
  if (isGone) return { state: "read", stamp: known, outcome: { state: "refused", problem: GONE } };
  if (!isForced && stamp === known) return read({ state: "unchanged" });
  try {
    const next = await edits.reload();
    if (await edits.stamp() !== stamp) return { state: "moving" };
    return read({ state: "applied", changes: await apply(next) });
  } catch (thrown) {
    const error = asError(thrown);
    if (!(error instanceof GatewayError)) throw error;
    if (await edits.stamp() !== stamp) return { state: "moving" };
    return read({ state: "refused", problem: error.message });
  }
}

/** What is said of an edit, for people. */
function changeLines(
  { applied, channels, waiting }: ConfigChanges,
  told: readonly string[],
): readonly string[] {
  const untold = waiting.filter((key) => !told.includes(key));
  return [
    ...(applied.length === 0 ? [] : [`Config: applied ${applied.join(", ")}`]),
    ...channels.map((name) => `Config: applied channels.${name}`),
    ...untold.map((key) => `Config: ${key} changes at the next start`),
  ];
}
