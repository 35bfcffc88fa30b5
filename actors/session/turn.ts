/**
 * One turn: from a message to its answer, through as many model calls and tools as it takes.
 * @module
 */

import { getLogger } from "@logtape/logtape";
import type { AssistantMessage } from "../../providers/provider.ts";
import { type Inbound, isReadyWord } from "../journal/journal.ts";
import { asError } from "../kernel/errors.ts";
import { IncarnationEndedError } from "../kernel/incarnation.ts";
import type { TurnEndNews } from "../tools/hooks/hook_event.ts";
import { type Attempt, attemptAnswer } from "./answer_attempt.ts";
import { AnswerView, type ShownText } from "./answer_view.ts";
import type { ApprovalDesk } from "./approval_desk.ts";
import { ModelAsker } from "./ask_model.ts";
import type { SpentBudget } from "./budgets.ts";
import type { SessionReach } from "./call_runner.ts";
import { type Answered, givenAnswer } from "./given_answer.ts";
import type { Replay } from "./history.ts";
import type { ReadInbound } from "./incoming.ts";
import { pauseTurn } from "./pausing.ts";
import type { SessionServices } from "./ports.ts";
import type { SessionLog } from "./session_log.ts";
import type { SessionMemory } from "./session_memory.ts";
import type { GivenAnswer } from "./step_parts.ts";
import type { TurnSteps } from "./steps.ts";
import { isOfHeartbeat, NOTHING_SAID, toldElsewhere } from "./telling.ts";
import { toolHints } from "./tool_hint.ts";
import { progressReporter } from "./tool_progress.ts";
import type { CallPlace, ToolMessages } from "./tool_messages.ts";
import { type AskedRound, ToolRounds, type ToolsAsked } from "./tool_rounds.ts";
import { type Begun, TurnBeginning } from "./turn_beginning.ts";
import type { TurnListener } from "./turn_events.ts";
import { isForGoal, isUnasked, TurnLimit } from "./turn_limit.ts";
import { TurnHooks } from "./turn_hooks.ts";
import { TurnReader } from "./turn_reader.ts";
import { TurnStoppedError } from "./turn_stopped.ts";
import { openTalk, type Talk } from "./turn_talk.ts";
import { timesBy, type TurnTimes } from "./turn_times.ts";
import { iterationLimit, noProgress, outOfTime } from "./wording.ts";

const logger = getLogger(["troupe", "session", "turn"]);

/** What a turn is made of. */
export interface TurnOptions {
  readonly services: SessionServices;
  readonly log: SessionLog;
  readonly memory: SessionMemory;
  /** Where calls wait for an owner's yes. */
  readonly desk: ApprovalDesk;
  /** What tools reach of the session, for a turn of `home`. @default nothing */
  readonly reach?: (home: Inbound) => SessionReach;
  /** Why a turn of `home` must end between two rounds of tools; null when it may go on. @default it may */
  readonly endOf?: ((home: Inbound) => Promise<string | null>) | undefined;
  /** Those of a new turn, or of one that was interrupted. */
  readonly steps: TurnSteps;
  /** Answers the inbounds that an interruption left one by one. @default false */
  readonly mustRunAlone?: boolean;
  /** @default those of the services' clock */
  readonly times?: TurnTimes;
}

/** How a turn ended. */
export interface TurnEnd {
  /** Messages waited behind the one that began it, and may wait still. */
  readonly mayLeaveWork: boolean;
  /** It has not ended: it waits for this, and can be run again. */
  readonly paused?: SpentBudget;
}

/** Runs once. Everything it did stands in the journal, step by step. */
export class Turn {
  readonly steps: TurnSteps;
  readonly #services: SessionServices;
  readonly #log: SessionLog;
  readonly #memory: SessionMemory;
  readonly #desk: ApprovalDesk;
  readonly #view = new AnswerView();
  readonly #asker: ModelAsker;
  readonly #reader: TurnReader;
  readonly #beginning: TurnBeginning;
  readonly #rounds: ToolRounds;
  readonly #hooks: TurnHooks;
  readonly #mustRunAlone: boolean;
  readonly #reach: ((home: Inbound) => SessionReach) | undefined;
  readonly #endOf: TurnOptions["endOf"];
  #joins = 0;
  /** Of its newest answer. */
  #outcome: GivenAnswer["outcome"] = "done";

  constructor(options: TurnOptions) {
    const { services, log, memory, desk, reach, endOf, steps, mustRunAlone = false } = options;
    this.steps = steps;
    this.#services = services;
    this.#log = log;
    this.#memory = memory;
    this.#desk = desk;
    this.#mustRunAlone = mustRunAlone;
    this.#reach = reach;
    this.#endOf = endOf;
    const { sessionKey, conversation } = log;
    const { inputs } = steps;
    inputs.runWith({ services });
    const times = inputs.timed(options.times ?? timesBy(services.clock));
    const reader = this.#reader = new TurnReader({ services, conversation, inputs, times });
    const hooks = this.#hooks = new TurnHooks(services, steps.turnId);
    this.#beginning = new TurnBeginning({ services, log, memory, steps, reader, hooks });
    const listener = () => this.#listener;
    this.#asker = new ModelAsker({
      ...{ sessionKey, services, steps, view: this.#view, memory, listener },
    });
    this.#rounds = new ToolRounds({
      services,
      turnId: steps.turnId,
      times,
      record: {
        begin: (round) => this.#askForTools(round),
        endCall: (result) => steps.endCall(result),
      },
    });
  }

  /** Rounds of tools so far. */
  get rounds(): number {
    return this.#rounds.count;
  }

  /** What people have seen of the answer that is being made. */
  get shown(): ShownText {
    return this.#view.shown;
  }

  /**
   * Takes the first message that waits, or goes on with those that an interruption left, and
   * returns when they and all that joined have their answers.
   *
   * @throws the signal's reason when it aborts; {JournalError}; whatever a port throws
   */
  async run(signal: AbortSignal): Promise<TurnEnd> {
    try {
      const end = await this.#run(signal);
      this.#tellEnd(end.paused === undefined ? this.#outcome : "paused");
      return end;
    } catch (error) {
      // Cut short in good order: that says nothing about the turn.
      if (signal.reason instanceof IncarnationEndedError) await this.#rest();
      this.#tellEnd(signal.reason instanceof TurnStoppedError ? "stopped" : "interrupted");
      throw error;
    } finally {
      this.steps.booking.release();
    }
  }

  async #run(signal: AbortSignal): Promise<TurnEnd> {
    let begun = await this.#start(signal);
    if (begun === undefined) return { mayLeaveWork: false };
    if (isReadyWord(this.steps.inbound)) return await this.#sayReady(begun, signal);
    for (;;) {
      const { clock } = this.#services;
      const isUnasked = () => this.#isUnasked || isForGoal(this.steps.inbounds[0]);
      using limit = new TurnLimit({ clock, signal, isUnasked });
      try {
        return await this.#answer(begun, limit.signal);
      } catch (error) {
        if (!limit.hasEnded(error)) throw error;
        await this.#outOfTime();
        if (this.steps.aside.length === 0) return { mayLeaveWork: true };
        begun = { replay: await this.#runAlone(signal), mayLeaveWork: true };
      }
    }
  }

  /** It was found elsewhere, and is said here. */
  async #sayReady({ mayLeaveWork }: Begun, signal: AbortSignal): Promise<TurnEnd> {
    const { content } = this.steps.inbound;
    signal.throwIfAborted();
    const message: AssistantMessage = { role: "assistant", content };
    await this.steps.answer({ outcome: "done", message, content, preamble: "" });
    return { mayLeaveWork };
  }

  async #answer(begun: Begun, signal: AbortSignal): Promise<TurnEnd> {
    let talk = await this.#prepare(begun);
    this.#showAnswer();
    await this.#services.tools.settled?.(signal);
    for (;;) {
      const attempt = await this.#attempt(talk, signal);
      signal.throwIfAborted();
      if (attempt.type === "out_of_budget") return await this.#pause(attempt.budget);
      const isOver = attempt.type === "tools"
        ? await this.#useTools(attempt, talk, signal)
        : await this.#giveAnswer(attempt, talk, signal);
      if (!isOver) continue;
      if (this.steps.aside.length === 0) return { mayLeaveWork: begun.mayLeaveWork };
      talk = await this.#prepare({ replay: await this.#runAlone(signal) });
      this.#showAnswer();
    }
  }

  #tellEnd(outcome: TurnEndNews["outcome"]): void {
    this.#hooks.ended({ outcome, rounds: this.rounds });
  }

  async #start(signal: AbortSignal): Promise<Begun | undefined> {
    if (this.steps.inbounds.length === 0) return await this.#beginning.first(signal);
    const replay = this.#mustRunAlone
      ? await this.#runAlone(signal)
      : await this.#beginning.again(signal);
    this.#hooks.began(this.steps.inbound, { isAgain: true });
    return { replay, mayLeaveWork: true };
  }

  /** What was shown stays as it is; whatever is asked next, it is asked anew. */
  async #pause(budget: SpentBudget): Promise<TurnEnd> {
    const { steps, shown } = this;
    const { sessionKey } = this.#log;
    await pauseTurn({ sessionKey, services: this.#services, steps, shown }, budget);
    return { mayLeaveWork: true, paused: budget };
  }

  async #rest(): Promise<void> {
    try {
      await this.steps.rest();
    } catch (error) {
      logger.warn("An attempt counts although it was only cut short: {reason}", {
        reason: asError(error).message,
      });
    }
  }

  async #runAlone(signal: AbortSignal): Promise<Replay> {
    const replay = await this.#beginning.alone(signal);
    this.#rounds.startOver();
    return replay;
  }

  #prepare({ replay, prompt }: Pick<Begun, "replay" | "prompt">): Promise<Talk> {
    const { steps } = this;
    return openTalk({
      ...{ services: this.#services, log: this.#log, memory: this.#memory, desk: this.#desk },
      ...{ steps, replay, prompt, listener: this.#listener },
      reach: this.#reach?.(steps.inbound),
    });
  }

  #attempt(talk: Talk, signal: AbortSignal): Promise<Attempt> {
    return attemptAnswer({
      call: (call) => {
        const { replay, system, sent } = talk;
        const isHidden = !call.withTools || this.#isSuppressed(sent);
        return this.#asker.ask({ ...call, replay, system, isHidden }, signal);
      },
      isBlankFine: talk.sent.hasSentHome,
    });
  }

  async #useTools(asked: ToolsAsked, talk: Talk, signal: AbortSignal): Promise<boolean> {
    const { runner, replay, sent } = talk;
    sent.forget();
    const sender = (place: CallPlace, signal: AbortSignal) => sent.sender(place, signal);
    const reporter = progressReporter({ ...this.#services, view: this.#view });
    const end = await this.#rounds.run(asked, { runner, replay, sender, reporter }, signal);
    this.#view.toolsEnded();
    if (end.state === "stuck") return await this.#giveUp(noProgress(end.tools));
    if (end.state === "limit") return await this.#giveUp(iterationLimit(end.rounds, end.tools));
    const word = await this.#endOf?.(talk.home) ?? null;
    if (word !== null) return await this.#giveUp(word);
    await this.#letJoin(talk, signal);
    return false;
  }

  async #askForTools({ message, calls, text }: AskedRound): Promise<number> {
    const line = await this.steps.askForTools(message);
    this.#view.toolsStarted(text, toolHints(calls, { mcpServers: this.#services.mcpServers }));
    return line;
  }

  async #letJoin(talk: Talk, signal: AbortSignal): Promise<void> {
    const joining = this.#memory.notWithdrawn(await this.#followUps(talk));
    if (joining.length === 0) return;
    signal.throwIfAborted();
    await this.steps.join(joining);
    this.#joined(joining, talk);
  }

  async #giveAnswer(
    attempt: Answered,
    talk: Talk,
    signal: AbortSignal,
  ): Promise<boolean> {
    const answer = await toldElsewhere(this.#answerOf(attempt, talk.sent), {
      home: talk.home,
      services: this.#services,
      signal,
    });
    this.#outcome = answer.outcome;
    const followUps = answer.outcome === "failed" ? [] : await this.#followUps(talk);
    const joining = this.#memory.notWithdrawn(followUps);
    signal.throwIfAborted();
    await this.steps.answer(answer, joining);
    if (joining.length === 0) return true;
    if (answer.message !== null) talk.replay.push(answer.message);
    talk.replay.ownFromNext();
    this.#joined(joining, talk);
    this.#showAnswer();
    return false;
  }

  #answerOf(attempt: Answered, sent: ToolMessages): GivenAnswer {
    const isSuppressed = this.#isSuppressed(sent);
    const { hasSentHome } = sent;
    return givenAnswer(attempt, { shown: this.#view.shown, hasSentHome, isSuppressed });
  }

  /** Nobody waits for it, and what comes after it should. */
  async #outOfTime(): Promise<void> {
    const text = outOfTime(this.rounds);
    const message: AssistantMessage = { role: "assistant", content: text };
    this.#outcome = "failed";
    const told = this.#isOfHeartbeat ? NOTHING_SAID : { content: text, preamble: "" };
    this.steps.inputs.isOutOfTime();
    await this.steps.answer({ outcome: "failed", message, ...told });
  }

  /** The turn ends before the model is done. */
  async #giveUp(text: string): Promise<true> {
    const message: AssistantMessage = { role: "assistant", content: text };
    const { preamble } = this.#view.shown;
    const told = this.#isOfHeartbeat ? NOTHING_SAID : { content: text, preamble };
    await this.steps.answer({ outcome: "done", message, ...told });
    return true;
  }

  /**
   * What has to be said was sent by a tool in the last round, and nobody joined who would still
   * wait for a word: the answer that follows is stored, not sent.
   */
  #isSuppressed(sent: ToolMessages): boolean {
    return sent.hasSentHome && this.#joins === 0;
  }

  async #followUps({ home }: Talk): Promise<readonly ReadInbound[]> {
    const { joinsPerStepMax, joinsPerTurnMax } = this.#services.settings;
    if (this.#mustRunAlone || this.#joins >= joinsPerTurnMax) return [];
    return await this.#reader.readFollowUps(home, joinsPerStepMax);
  }

  #joined(joining: readonly ReadInbound[], { replay, sent }: Talk): void {
    this.#joins++;
    this.#rounds.somethingNew();
    this.#memory.waiting.began(joining.map(({ inbound }) => inbound));
    sent.forget();
    for (const { shown } of joining) replay.push(shown);
  }

  /** Nobody waits for what it answers just now. */
  get #isUnasked(): boolean {
    const [home] = this.steps.inbounds;
    return home !== undefined && (this.#isOfHeartbeat || isUnasked(home));
  }

  get #isOfHeartbeat(): boolean {
    return isOfHeartbeat(this.steps.inbound, this.#services.heartbeat);
  }

  get #listener(): TurnListener | undefined {
    const [home] = this.steps.inbounds; // none once it was stopped
    return home && this.#services.listenerOf?.(home);
  }

  #showAnswer(): void {
    const { replyChannel, chatId, context } = this.steps.inbound;
    // Where nobody waits, nobody is told how far it is.
    const isQuiet = this.#isUnasked && this.steps.openRow === undefined;
    const isHidden = replyChannel === null || isQuiet;
    const outbox = isHidden ? undefined : this.#services.outbox(replyChannel);
    const showsReasoning = this.#services.showsReasoning?.(replyChannel ?? "") ?? false;
    const listener = this.#listener;
    const row = this.steps.openRow;
    this.#view.begin({ outbox, chatId, context, row, showsReasoning, listener });
  }
}
