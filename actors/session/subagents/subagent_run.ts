/**
 * The work of one subagent: from its task to its report, through the same model calls and rounds of
 * tools as a turn, in a conversation of its own that is not kept.
 * @module
 */

import { getLogger } from "@logtape/logtape";
import type { SystemMessage, UserMessage } from "../../../providers/provider.ts";
import { type Inbound, SYSTEM_CHANNEL } from "../../journal/journal.ts";
import { asError } from "../../kernel/errors.ts";
import { unreachable } from "../../kernel/invariant.ts";
import {
  type Attempt,
  attemptAnswer,
  type AttemptCall,
  type CallOutcome,
} from "../answer_attempt.ts";
import { AnswerView } from "../answer_view.ts";
import type { ApprovalDesk } from "../approval_desk.ts";
import { ModelAsker } from "../ask_model.ts";
import { budgetKey } from "../budgets.ts";
import { CallAudit } from "../call_audit.ts";
import { CallRunner } from "../call_runner.ts";
import { Replay } from "../history.ts";
import { placeOf } from "../incoming.ts";
import type { SessionServices, SubagentRules } from "../ports.ts";
import { runtimeBlock, userContent } from "../runtime_context.ts";
import { sentFiles } from "../sent_files.ts";
import type { SessionLog } from "../session_log.ts";
import { SessionMemory } from "../session_memory.ts";
import { StepBooking } from "../step_booking.ts";
import { toolHints } from "../tool_hint.ts";
import { type AskedRound, type RoundEnd, ToolRounds } from "../tool_rounds.ts";
import { isUnasked } from "../turn_limit.ts";
import type { TurnPermit } from "../turn_permit.ts";
import { timesBy } from "../turn_times.ts";
import { WaitingNotes } from "../waiting_notes.ts";
import type { SubagentReport } from "./report.ts";
import { runIdOf } from "./subagent_row.ts";
import type { SubagentStatus } from "./subagent_status.ts";
import { cannotSend, SubagentTools } from "./subagent_tools.ts";

const logger = getLogger(["troupe", "session", "subagent_run"]);

/** Calls that a report names when there is no answer. */
const CALLS_REPORTED = 3;

/** What a run works with. */
export interface SubagentRunOptions {
  /** Of the session, as they are when the subagent starts. */
  readonly services: SessionServices;
  readonly rules: SubagentRules;
  /** Of the session: its usage is booked there. */
  readonly log: SessionLog;
  /** Where its calls wait for an owner's yes. */
  readonly approvals: ApprovalDesk;
  /** The message that the task came of: whose rights it has, and where it belongs. */
  readonly home: Inbound;
  readonly status: SubagentStatus;
}

/** Runs once. */
export class SubagentRun {
  readonly #options: SubagentRunOptions;
  readonly #permit: TurnPermit;
  readonly #services: SessionServices;
  readonly #booking = new StepBooking();
  readonly #memory: SessionMemory;
  readonly #asker: ModelAsker;
  readonly #rounds: ToolRounds;
  readonly #runner: CallRunner;
  /** What it said last, beside calls. */
  #said = "";

  /** @param permit of its own: it works only while it holds it */
  constructor(options: SubagentRunOptions, permit: TurnPermit) {
    const { services: ofSession, rules, log: { sessionKey }, status } = options;
    const { id } = status.task;
    const services = {
      ...ofSession,
      tools: new SubagentTools(ofSession.tools),
      settings: { ...ofSession.settings, toolIterationsMax: rules.iterationsMax },
    };
    this.#options = options;
    this.#permit = permit;
    this.#services = services;
    this.#memory = new SessionMemory(new WaitingNotes(services.outbox));
    this.#asker = new ModelAsker({
      ...{ sessionKey, services, memory: this.#memory },
      conversationId: `${sessionKey}:${runIdOf(id)}`,
      steps: { booking: this.#booking, goesOn: () => {} },
      view: new AnswerView(), // nobody reads along
    });
    this.#rounds = new ToolRounds({
      services,
      turnId: runIdOf(id),
      times: timesBy(services.clock),
      record: {
        begin: (round) => this.#beginRound(round),
        endCall: (result) => Promise.resolve(status.ran(result)),
      },
    });
    this.#runner = this.#makeRunner();
  }

  /** @throws the signal's reason when it aborts; {JournalError}; whatever a port throws */
  async run(signal: AbortSignal): Promise<SubagentReport> {
    try {
      return await this.#converse(signal);
    } finally {
      this.#permit.end();
      this.#options.status.phase = "done";
      await this.#bookRest();
    }
  }

  /** What there is when something ends it before it is done. */
  incomplete(reason: string): SubagentReport {
    const calls = this.#options.status.newestCalls(CALLS_REPORTED);
    const parts = [reason, this.#said, calls === "" ? "" : `Its last steps:\n${calls}`];
    return { state: "incomplete", text: parts.filter((part) => part !== "").join("\n\n") };
  }

  async #converse(signal: AbortSignal): Promise<SubagentReport> {
    const { home, rules } = this.#options;
    const system: SystemMessage = { role: "system", content: await rules.systemPrompt(home) };
    const replay = new Replay();
    replay.ownFromNext();
    replay.push(this.#firstMessage());
    for (;;) {
      await this.#takeTurns(signal);
      const attempt = await attemptAnswer({
        call: (call) => this.#ask(call, { replay, system, signal }),
        isBlankFine: false,
      });
      signal.throwIfAborted();
      const report = await this.#reportOf(attempt, replay, signal);
      if (report !== null) return report;
    }
  }

  /** Others have their turn between two steps: a permit is held for one step only. */
  async #takeTurns(signal: AbortSignal): Promise<void> {
    this.#permit.giveBack();
    await this.#permit.regain(signal);
    this.#options.status.phase = "thinking";
  }

  /** Null while it is not done. */
  async #reportOf(
    attempt: Attempt,
    replay: Replay,
    signal: AbortSignal,
  ): Promise<SubagentReport | null> {
    switch (attempt.type) {
      case "answer":
        return { state: "completed", text: attempt.text };
      case "blank":
        return this.incomplete("It finished without a word.");
      case "failed":
        return { ...this.incomplete(attempt.error.userText), state: "failed" };
      case "out_of_budget":
        return this.incomplete(`It stopped: the budget (${budgetKey(attempt.budget)}) is spent.`);
      case "tools": {
        if (this.#isOverTokens) return this.incomplete("It used up its tokens before it was done.");
        const scene = { runner: this.#runner, replay, sender: () => cannotSend };
        return this.#reportOfRound(await this.#rounds.run(attempt, scene, signal));
      }
      default:
        return unreachable(attempt);
    }
  }

  #reportOfRound(end: RoundEnd): SubagentReport | null {
    if (end.state === "go_on") return null;
    if (end.state === "limit") {
      return this.incomplete(`It reached its limit of ${end.rounds} rounds of tools.`);
    }
    return this.incomplete(
      `It stopped: it did the same again and again (${end.tools.join(", ")}).`,
    );
  }

  get #isOverTokens(): boolean {
    const { rules: { tokensMax }, status } = this.#options;
    return tokensMax !== null && status.tokens >= tokensMax;
  }

  async #ask(
    call: AttemptCall,
    { replay, system, signal }: {
      readonly replay: Replay;
      readonly system: SystemMessage;
      readonly signal: AbortSignal;
    },
  ): Promise<CallOutcome> {
    const outcome = await this.#asker.ask({ ...call, replay, system, isHidden: true }, signal);
    await this.#book();
    return outcome;
  }

  /** What it used counts for its session at once. */
  async #book(): Promise<void> {
    const { log, status } = this.#options;
    const { usage } = this.#booking;
    if (usage.length === 0) return;
    status.used(usage);
    await log.commit(this.#booking.with({}), [], "written");
    this.#booking.release();
  }

  /** Of a call that was cut off. */
  async #bookRest(): Promise<void> {
    try {
      await this.#book();
    } catch (error) {
      logger.warn("Cannot count what a subagent used last: {reason}", {
        reason: asError(error).message,
      });
    } finally {
      this.#booking.release();
    }
  }

  #beginRound({ text, calls }: AskedRound): Promise<number> {
    const { status, home, rules } = this.#options;
    const { replyChannel, chatId, context } = home;
    const line = status.rounds++;
    status.phase = "using_tools";
    if (text !== "") this.#said = text;
    if (rules.showsProgress && replyChannel !== null && !isUnasked(home)) {
      const hint = `${status.task.label}: ${
        toolHints(calls, { mcpServers: this.#services.mcpServers })
      }`;
      const progress = { chatId, context, text: hint, isToolHint: false };
      this.#services.outbox(replyChannel)?.tell({ type: "progress", ...progress });
    }
    return Promise.resolve(line);
  }

  #firstMessage(): UserMessage {
    const { services: { clock, settings: { timezone } }, home, status } = this.#options;
    const block = runtimeBlock({ nowMs: clock.now(), timezone, ...placeOf(home) });
    return { role: "user", content: userContent(block, status.task.task) };
  }

  #makeRunner(): CallRunner {
    const { home, log, approvals, status } = this.#options;
    const services = this.#services;
    const { sessionKey } = log;
    const isPerson = home.channel !== SYSTEM_CHANNEL;
    return new CallRunner({
      services,
      origin: {
        ...{ ...placeOf(home), sessionKey },
        senderId: isPerson ? home.senderId : undefined,
        source: "subagent",
        get sentFiles() {
          return sentFiles(log.conversation);
        },
      },
      reads: this.#memory.reads,
      audit: new CallAudit({ services, home, turnId: runIdOf(status.task.id) }),
      refusal: (call, signal) =>
        approvals.refusal({ ...call, home }, { log, signal, permit: this.#permit }),
    });
  }
}
