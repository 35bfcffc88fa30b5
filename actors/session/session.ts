/**
 * The session actor: one conversation. It runs one turn at a time, beside its mailbox, and so
 * hears what comes meanwhile; slash commands are answered at once, in every state.
 * @module
 */

import { getLogger } from "@logtape/logtape";
import { type Inbound, JournalError } from "../journal/journal.ts";
import type { Actor, ActorContext, ActorDefinition, Outcome } from "../kernel/actor.ts";
import { invariant, unreachable } from "../kernel/invariant.ts";
import type { ActorRef, ReplyTo } from "../kernel/ref.ts";
import { valueOf, WorkBeside } from "../kernel/work_beside.ts";
import { ApprovalDesk } from "./approval_desk.ts";
import type { SpentBudget } from "./budgets.ts";
import { CommandCourse, type CommandSurroundings } from "./command_course.ts";
import { endsTurn } from "./command_table.ts";
import { GoalCourse } from "./goal/goal_course.ts";
import type { RunEnd } from "./consolidator.ts";
import type { GoalLook } from "./goal/goal_desk.ts";
import { Idleness } from "./idleness.ts";
import { isCommand, lookForWork, type Waiting } from "./incoming.ts";
import { newestServices } from "./newest_services.ts";
import { OwnSettings } from "./own_state.ts";
import type { SessionEvent, SessionServices } from "./ports.ts";
import { type Awakened, wakeSession } from "./recovery.ts";
import { mergeIntoWake, type SessionActorMessage } from "./session_protocol.ts";
import { servicesOf } from "./session_model.ts";
import { sessionFileName } from "./session_name.ts";
import { SessionMemory } from "./session_memory.ts";
import type { SessionLog } from "./session_log.ts";
import { askersOf } from "./subagents/abandoned.ts";
import { SubagentDesk, type SubagentStopped } from "./subagents/subagent_desk.ts";
import type { TurnEnd } from "./turn.ts";
import { TurnCourse } from "./turn_course.ts";
import { TurnPermit } from "./turn_permit.ts";
import { TurnSeat } from "./turn_seat.ts";
import { Upkeep } from "./upkeep.ts";
import { WaitingNotes } from "./waiting_notes.ts";
import { WaitingWork } from "./waiting_work.ts";

const logger = getLogger(["troupe", "session", "session"]);

/** Messages that may wait; past it two become one look into the journal, which has them all. */
const MAILBOX_MAX = 256;
/** A turn that is aborted, and what it has in the journal's hands, must end within this. */
const SHUTDOWN_MS = 10_000;

/** Defines the actor of one session. */
export function sessionActor(
  sessionKey: string,
  services: SessionServices,
  router: ActorRef<SessionEvent>,
): ActorDefinition<SessionActorMessage> {
  return {
    name: sessionFileName(sessionKey).replace(/\.jsonl$/, ""),
    mailboxMax: MAILBOX_MAX,
    overflow: { type: "merge", merge: mergeIntoWake },
    shutdownMs: SHUTDOWN_MS,
    create: (context) => new Session({ sessionKey, services, router, context }),
  };
}

interface SessionOptions {
  readonly sessionKey: string;
  readonly services: SessionServices;
  readonly router: ActorRef<SessionEvent>;
  readonly context: ActorContext<SessionActorMessage>;
}

class Session implements Actor<SessionActorMessage> {
  readonly #sessionKey: string;
  readonly #services: SessionServices;
  readonly #context: ActorContext<SessionActorMessage>;
  readonly #idleness: Idleness;
  readonly #memory: SessionMemory;
  readonly #beside: WorkBeside<SessionActorMessage>;
  readonly #work: WaitingWork;
  readonly #commands: CommandCourse;
  readonly #seat: TurnSeat;
  readonly #upkeepPermit: TurnPermit;
  readonly #upkeep: Upkeep;
  readonly #desk: ApprovalDesk;
  readonly #subagents: SubagentDesk;
  readonly #goals: GoalCourse;
  readonly #turns: TurnCourse;
  /** Undefined while it reads its past. */
  #log: SessionLog | undefined;
  /** Messages that are being taken back: their ends let others go on, so it stays awake for them. */
  #withdrawals = 0;

  constructor({ sessionKey, services, router, context }: SessionOptions) {
    this.#sessionKey = sessionKey;
    const metadata = () => this.#log?.conversation.metadata ?? {};
    const own = new OwnSettings();
    this.#services = newestServices(services, (newest) => own.in(servicesOf(newest, metadata)));
    this.#context = context;
    this.#memory = new SessionMemory(new WaitingNotes(services.outbox));
    const { gate, newId, settings: { idleMs } } = services;
    this.#idleness = new Idleness({
      sessionKey,
      router,
      newId,
      startTimer: () => context.after(idleMs, { type: "idle_elapsed" }),
    });
    this.#beside = new WorkBeside(context);
    this.#work = new WaitingWork(() =>
      this.#beside.pipe(
        () => lookForWork(services.journal, sessionKey),
        (outcome) => ({ type: "looked", outcome }),
      )
    );
    const permit = new TurnPermit({ gate, newId, holder: context.self });
    this.#seat = new TurnSeat({
      ...{ sessionKey, gate, newId, permit },
      clock: services.clock,
      holder: context.self,
      startTimer: (delayMs) => context.after(delayMs, { type: "resume_due" }),
    });
    this.#upkeepPermit = new TurnPermit({ gate, newId, holder: context.self });
    this.#upkeep = new Upkeep({
      services: this.#services,
      memory: this.#memory,
      permit: this.#upkeepPermit,
      openTurn: () => this.#turns.turn?.steps.turnId,
      start: (work) => this.#beside.pipe(work, (outcome) => ({ type: "upkeep_ended", outcome })),
    });
    this.#desk = new ApprovalDesk({ services: this.#services, permit });
    this.#commands = new CommandCourse({
      queue: this.#work.commands,
      journal: services.journal,
      beside: this.#beside,
      clearTurn: () => this.#seat.clear(),
      surroundings: () => this.#surroundings(),
    });
    this.#subagents = new SubagentDesk({
      ...{ services: this.#services, approvals: this.#desk, permit, context },
    });
    this.#goals = new GoalCourse({
      ...{ sessionKey, context, memory: this.#memory, beside: this.#beside },
      services: this.#services,
      log: () => this.#wokenLog(),
    });
    this.#turns = new TurnCourse({
      ...{ sessionKey, own, permit, services: this.#services, memory: this.#memory },
      ...{ desk: this.#desk, subagents: this.#subagents, goals: this.#goals.desk },
      ...{ seat: this.#seat, beside: this.#beside },
    });
    this.#beside.pipe(
      () => wakeSession(sessionKey, services, context.signal),
      (outcome) => ({ type: "woken", outcome }),
    );
  }

  receive(message: SessionActorMessage): void {
    if (message.type !== "sleep" && message.type !== "idle_elapsed") this.#idleness.stir();
    switch (message.type) {
      case "inbound_accepted":
        return this.#inboundAccepted(message.inbound);
      case "inbound_withdrawn":
        return this.#inboundWithdrawn(message.inbound);
      case "wake":
        return this.#work.look();
      case "sleep":
        return this.#sleep(message.idleId);
      case "leave":
        return this.#leave(message.replyTo);
      case "permit_granted":
        return this.#permitGranted(message.requestId);
      case "permit_delayed":
        return this.#permitDelayed(message.requestId);
      case "woken":
        return this.#woken(message.outcome);
      case "looked":
        return this.#looked(valueOf(message.outcome));
      case "turn_ended":
        return this.#turnEnded(message.outcome);
      case "compact":
        return this.#compact(message.idleMs);
      case "upkeep_ended":
        return this.#upkeepEnded(message.outcome);
      case "command_checked":
        return this.#commandChecked(message.outcome);
      case "command_done":
        return this.#commandDone(message.outcome);
      case "answer_taken":
        return valueOf(message.outcome);
      case "withdrawn":
        return this.#withdrawn(message.outcome);
      case "subagent_stopped":
        return this.#subagentStopped(message);
      case "subagent_reported":
        return valueOf(message.outcome);
      case "goal_looked":
        return this.#goalLooked(valueOf(message.outcome));
      case "goal_due":
        return this.#goals.look();
      case "idle_elapsed":
        return this.#idleElapsed();
      case "resume_due":
        return this.#resumeDue();
      default:
        return unreachable(message);
    }
  }

  async stopped(): Promise<void> {
    await this.#beside.ended();
    await this.#log?.filed();
    this.#seat.end();
    this.#upkeepPermit.end();
  }

  #woken(outcome: Outcome<Awakened>): void {
    const { log, interrupted, abandoned, waiting, upkeep } = valueOf(outcome);
    this.#log = log;
    this.#upkeep.begin(log, upkeep);
    if (interrupted !== undefined) this.#turns.goOnWith(interrupted, log);
    const askers = askersOf(interrupted?.steps, abandoned);
    if (askers.size > 0) this.#answer(() => this.#desk.voidLeftover(askers, log));
    this.#goals.look();
    this.#looked(waiting);
  }

  #inboundAccepted(inbound: Inbound): void {
    if (this.#desk.isAnswer(inbound)) return this.#answer((log) => this.#desk.decide(inbound, log));
    this.#work.came(inbound);
    if (!isCommand(inbound)) this.#seat.hurry();
    this.#advance();
    if (!isCommand(inbound) && !this.#turns.has(inbound)) this.#memory.waiting.came(inbound);
  }

  #inboundWithdrawn(inbound: Inbound): void {
    const { seq } = inbound;
    if (this.#turns.has(inbound) || this.#commands.isDoing(inbound)) return;
    this.#memory.withdrawn.add(seq);
    this.#memory.waiting.forget([seq]);
    this.#withdrawals++;
    this.#idleness.end();
    this.#beside.pipe(
      () => this.#services.journal.withdraw(seq),
      (outcome) => ({ type: "withdrawn", outcome }),
    );
  }

  /** A draft held up what its chat wrote after it. */
  #withdrawn(outcome: Outcome<boolean>): void {
    this.#withdrawals--;
    if (valueOf(outcome)) this.#work.messagesMayWait();
    this.#advance();
  }

  #looked(waiting: Waiting): void {
    this.#work.looked(waiting);
    if (waiting.hasMessages && this.#desk.isOpen) {
      this.#answer((log) => this.#desk.lookForAnswer(log));
    }
    this.#advance();
  }

  #answer(take: (log: SessionLog) => Promise<void>): void {
    this.#beside.pipe(
      () => take(this.#wokenLog()),
      (outcome) => ({ type: "answer_taken", outcome }),
    );
  }

  /** Most have handed their report over by then; one that broke has not. */
  #subagentStopped(stopped: SubagentStopped): void {
    this.#beside.pipe(
      (signal) => this.#subagents.ended(stopped, signal),
      (outcome) => ({ type: "subagent_reported", outcome }),
    );
    this.#advance();
  }

  /** Begins whatever is next: commands first, then a turn, then sleep. */
  #advance(): void {
    if (this.#log === undefined) return;
    if (!this.#commands.isBusy) this.#nextCommand();
    if (this.#commands.isBusy) return;
    this.#upkeep.next();
    if (this.#seat.isReady) return this.#startTurn(this.#log);
    if (!this.#seat.isIdle) return;
    if (this.#turns.turn !== undefined || this.#work.mayHaveMessages) this.#queue();
    else this.#rest();
  }

  #queue(isBackground: boolean = false): void {
    this.#idleness.end();
    this.#memory.waiting.release();
    this.#seat.queue(isBackground);
  }

  /** The next turn of a goal gives way to all that somebody waits for. */
  #goalLooked(look: GoalLook): void {
    const inbound = this.#goals.looked(look);
    if (inbound !== null) this.#work.came(inbound);
    const isAlone = inbound !== null && this.#log !== undefined && this.#seat.isIdle &&
      this.#turns.turn === undefined && !this.#commands.isBusy;
    if (isAlone) return this.#queue(true);
    this.#advance();
  }

  #rest(): void {
    const isAlone = !this.#upkeep.isBusy && !this.#subagents.isBusy && !this.#goals.isBusy;
    if (!isAlone || this.#withdrawals > 0) return this.#idleness.end();
    this.#idleness.begin({ isTold: !this.#work.isLooking });
  }

  #idleElapsed(): void {
    if (this.#isOccupied) return;
    this.#idleness.elapsed({ isTold: !this.#work.isLooking });
    this.#rest();
  }

  #sleep(idleId: string): void {
    if (this.#isOccupied) return;
    if (this.#idleness.isStill(idleId)) this.#context.stopSelf();
  }

  #leave(replyTo: ReplyTo<boolean>): void {
    replyTo.reply(!this.#isOccupied);
    if (!this.#isOccupied) this.#context.stopSelf();
  }

  /** Something is under way, or it is not awake yet. */
  get #isOccupied(): boolean {
    if (this.#log === undefined || !this.#seat.isIdle || this.#subagents.isBusy) return true;
    if (this.#goals.isBusy || this.#withdrawals > 0) return true;
    return this.#commands.isBusy || this.#upkeep.isBusy;
  }

  #permitGranted(requestId: string): void {
    if (this.#upkeepPermit.take(requestId)) return;
    this.#seat.granted(requestId);
    this.#advance();
  }

  #permitDelayed(requestId: string): void {
    if (!this.#upkeepPermit.asks(requestId)) this.#memory.waiting.hold();
  }

  #startTurn(log: SessionLog): void {
    this.#work.messagesTaken();
    this.#turns.begin(log);
  }

  #turnEnded(outcome: Outcome<TurnEnd>): void {
    if (outcome.state === "ok") {
      const { paused, mayLeaveWork } = outcome.value;
      if (paused === undefined) this.#turns.forget();
      if (mayLeaveWork) this.#work.messagesMayWait();
      return this.#turnOver(paused);
    }
    if (outcome.error instanceof JournalError) throw outcome.error;
    if (this.#commands.awaitsTurn) return this.#turnOver();
    logger.error("A turn of {sessionKey} broke, and is tried again: {reason}", {
      sessionKey: this.#sessionKey,
      reason: outcome.error.message,
      error: outcome.error,
    });
    throw outcome.error; // the next life reads it from the journal, which counts the attempts
  }

  #turnOver(paused?: SpentBudget): void {
    this.#seat.over();
    this.#services.compaction?.tell({ type: "session_used", sessionKey: this.#sessionKey });
    if (this.#commands.awaitsTurn) return this.#commands.turnOver();
    if (paused !== undefined) this.#seat.pause(paused);
    this.#goals.turnOver();
    this.#advance();
  }

  #resumeDue(): void {
    if (this.#seat.resume()) this.#advance();
  }

  /** Somebody keeps time for sessions that sleep; what came meanwhile has the say. */
  #compact(idleMs: number): void {
    this.#upkeep.askToCompact(idleMs);
    this.#advance();
  }

  #upkeepEnded(outcome: Outcome<RunEnd>): void {
    this.#upkeep.ended(outcome);
    this.#advance();
  }

  #nextCommand(): void {
    if (this.#commands.begin()) this.#idleness.end();
    else this.#work.lookAgain();
  }

  #commandChecked(outcome: Outcome<boolean>): void {
    if (!this.#commands.checked(valueOf(outcome))) this.#advance();
  }

  #commandDone(outcome: Outcome<void>): void {
    valueOf(outcome);
    const { name, inbound, endsTurn: hasEndedTurn } = this.#commands.done();
    if (hasEndedTurn) {
      this.#memory.waiting.forgetBefore(inbound.seq);
      this.#turns.forget();
    }
    if (endsTurn(name)) this.#work.messagesMayWait(); // it held up what came after it
    this.#goals.turnOver();
    this.#advance();
  }

  #surroundings(): CommandSurroundings {
    return {
      services: this.#services,
      log: this.#wokenLog(),
      memory: this.#memory,
      turn: this.#turns.turn,
      paused: this.#seat.paused,
      desk: this.#desk,
      subagents: this.#subagents,
      upkeep: this.#upkeep,
      goals: this.#goals.desk,
    };
  }

  #wokenLog(): SessionLog {
    invariant(this.#log !== undefined, "the session was woken");
    return this.#log;
  }
}
