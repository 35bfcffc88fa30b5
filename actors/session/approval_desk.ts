/**
 * Where the calls of one session wait for an owner's yes. One question is open at a time; while it
 * is, the turn has no permit.
 * @module
 */

import { getLogger } from "@logtape/logtape";
import { z } from "zod";
import type { Inbound, NewOutbound } from "../journal/journal.ts";
import { untilAborted } from "../kernel/aborting.ts";
import { GatewayError } from "../kernel/errors.ts";
import { invariant } from "../kernel/invariant.ts";
import type { JsonObject } from "../kernel/json.ts";
import type { Decision } from "../tools/audit/audit_entry.ts";
import {
  answerIn,
  APPROVED_TEXT,
  choicesFor,
  DENIED_TEXT,
  notAllowed,
  questionText,
  timedOutText,
  voidText,
} from "./approval.ts";
import { withChoices, withClosed } from "./choices.ts";
import { followUpsOf, stillWaits } from "./incoming.ts";
import { commandReply } from "./interruption.ts";
import type { SessionServices } from "./ports.ts";
import type { SessionLog } from "./session_log.ts";
import type { CallPlace } from "./tool_messages.ts";

const logger = getLogger(["troupe", "session", "approval"]);

/** Waiting messages that are looked through for an answer that nobody told of. */
const LOOK_MAX = 64;

/** Of a turn's id, which is random, in the names of its questions. */
const NAME_CHARS = 12;

/** A turn's permit, which it does not hold while it waits for a person. */
export interface PermitLease {
  giveBack(): void;
  /** Asks for it again, at the end of the queue. Rejects with the signal's reason. */
  regain(signal: AbortSignal): Promise<void>;
}

/** A call that may have to be asked about. */
export interface AskedCall {
  readonly tool: string;
  readonly args: JsonObject;
  readonly callId: string;
  readonly place: CallPlace;
  /** The message that began the turn. */
  readonly home: Inbound;
}

/** What is asked in. */
export interface AskingScene {
  readonly log: SessionLog;
  readonly signal: AbortSignal;
  /** @default that of the session's turn */
  readonly permit?: PermitLease;
}

/** What the desk works with. */
export interface ApprovalDeskOptions {
  readonly services: Pick<SessionServices, "approval" | "audit" | "journal" | "clock">;
  readonly permit: PermitLease;
}

interface OpenQuestion {
  /** The key of its row. */
  readonly key: string;
  /** What a button calls it. */
  readonly name: string;
  readonly asked: AskedCall;
  readonly openedAtMs: number;
  readonly close: (decision: Closed) => void;
}

interface Closed {
  readonly decision: "approved" | "denied" | "timed_out";
  readonly by: string | null;
}

/** The journal's note about an open question, for the next life. */
const noteSchema = z.object({ turnId: z.string(), tool: z.string() });

/** Asks, and takes the answer. */
export class ApprovalDesk {
  readonly #services: ApprovalDeskOptions["services"];
  readonly #permit: PermitLease;
  #open: OpenQuestion | undefined;
  /** Settles when the questions so far are closed. */
  #line: Promise<void> = Promise.resolve();

  constructor({ services, permit }: ApprovalDeskOptions) {
    this.#services = services;
    this.#permit = permit;
  }

  /** A question waits for its answer. */
  get isOpen(): boolean {
    return this.#open !== undefined;
  }

  /** Whether an inbound is the answer to the open question, from somebody who may give it. */
  isAnswer(inbound: Inbound): boolean {
    const open = this.#open;
    const answer = answerIn(inbound.content);
    if (open === undefined || answer === null) return false;
    const isMeant = answer.question === null || answer.question === open.name;
    return isMeant && this.#isHeard(inbound, open.asked.home);
  }

  /**
   * Whether a call may run; an owner is asked where the rules say so, about one call at a time.
   *
   * @param permit of whoever calls, who does without it meanwhile
   * @returns null, or what the model is told in place of a result
   * @throws the signal's reason; {JournalError}
   */
  async refusal(
    asked: AskedCall,
    { log, signal, permit = this.#permit }: AskingScene,
  ): Promise<string | null> {
    const { approval } = this.#services;
    const { tool, args, home } = asked;
    if (approval === undefined || !await approval.mustAsk(tool, args)) return null;
    if (!approval.canAsk(home)) {
      this.#record(asked, "nobody");
      return notAllowed(tool, "it needs an owner's yes, and nobody can be asked here");
    }
    const question = questionText(tool, approval.shown(args), approval.timeoutMs);
    if (question === null) {
      this.#record(asked, "nobody");
      return notAllowed(
        tool,
        "it needs an owner's yes, and is too long to be shown: make it smaller",
      );
    }
    permit.giveBack();
    const { decision } = await this.#inLine(
      signal,
      () => this.#ask(asked, question, { log, signal }),
    );
    await permit.regain(signal);
    if (decision === "approved") return null;
    const reason = decision === "denied" ? "an owner said no" : "no owner answered in time";
    return notAllowed(tool, reason);
  }

  /** Takes an answer: it is done, and whoever waits for it goes on. Told twice, it counts once. */
  async decide(answer: Inbound, log: SessionLog): Promise<void> {
    const open = this.#open;
    const word = answerIn(answer.content)?.word;
    if (open === undefined || word === undefined) return;
    if (!await stillWaits(this.#services.journal, answer) || this.#open !== open) return;
    this.#open = undefined;
    await log.commit({
      inbounds: [{ seq: answer.seq, state: "done" }],
      outbounds: closing(
        commandReply(answer, word === "yes" ? APPROVED_TEXT : DENIED_TEXT),
        open.key,
      ),
      notes: [{ key: noteKey(log.sessionKey), value: null }],
    });
    const by = `${answer.channel}:${answer.senderId}`;
    open.close({ decision: word === "yes" ? "approved" : "denied", by });
  }

  /** Takes an answer that waits in the journal and was not told of. */
  async lookForAnswer(log: SessionLog): Promise<void> {
    const open = this.#open;
    if (open === undefined) return;
    const waiting = await followUpsOf(this.#services.journal, open.asked.home, LOOK_MAX);
    const answer = waiting.find((inbound) =>
      inbound.acceptedAtMs >= open.openedAtMs && this.isAnswer(inbound)
    );
    if (answer !== undefined) await this.decide(answer, log);
  }

  /**
   * Says of a question of an earlier life that it has no meaning any more.
   *
   * @param askers who may have asked: the ids of their turns, and where they belong
   */
  async voidLeftover(askers: ReadonlyMap<string, Inbound>, log: SessionLog): Promise<void> {
    const key = noteKey(log.sessionKey);
    const left = noteSchema.safeParse(await this.#services.journal.note(key));
    if (!left.success) return;
    const { tool, turnId } = left.data;
    const home = askers.get(turnId);
    const rows = home === undefined
      ? []
      : rowsFor(home, `${turnId}:void:${this.#services.clock.now()}`, voidText(tool));
    await log.commit({ outbounds: rows, notes: [{ key, value: null }] });
    logger.info("A question about {tool} in {sessionKey} is void after a restart", {
      tool,
      sessionKey: log.sessionKey,
    });
  }

  /** Waits for the questions before this one. */
  async #inLine<T>(signal: AbortSignal, ask: () => Promise<T>): Promise<T> {
    const before = this.#line;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#line = promise;
    try {
      await untilAborted(before, signal);
      return await ask();
    } finally {
      void before.then(resolve);
    }
  }

  async #ask(
    asked: AskedCall,
    question: string,
    { log, signal }: Pick<AskingScene, "log" | "signal">,
  ): Promise<Closed> {
    const { approval, clock } = this.#services;
    invariant(approval !== undefined && !this.isOpen, "one question is open at a time");
    const { tool, home, place: { turnId, line, index } } = asked;
    const key = `${turnId}:${line}:${index}:ask`;
    const name = `${turnId.slice(-NAME_CHARS)}.${line}.${index}`.replaceAll(/[^\w.-]/g, "");
    await log.commit({
      outbounds: rowsFor(home, key, question).map((row) => ({
        ...row,
        context: withChoices(row.context, choicesFor(name)),
      })),
      notes: [{ key: noteKey(log.sessionKey), value: { turnId, tool } }],
    });
    const { promise, resolve: close } = Promise.withResolvers<Closed>();
    const openedAtMs = clock.now();
    const open: OpenQuestion = { key, name, asked, openedAtMs, close };
    this.#open = open;
    this.#record(asked, "asked");
    const timer = clock.setTimer(approval.timeoutMs, () => {
      if (this.#open !== open) return; // the answer is on its way
      this.#open = undefined;
      close({ decision: "timed_out", by: null });
    });
    try {
      const closed = await untilAborted(promise, signal);
      this.#record(asked, closed.decision, closed.by, clock.now() - openedAtMs);
      if (closed.decision === "timed_out") await this.#timedOut(asked, key, log);
      return closed;
    } catch (error) {
      if (this.#open === open) this.#record(asked, "void", null, clock.now() - openedAtMs);
      this.#open = undefined;
      // After any other end the next life finds the note, and tells.
      if (error instanceof GatewayError && error.code === "turn_stopped") await this.#forget(log);
      throw error;
    } finally {
      timer.cancel();
    }
  }

  async #timedOut({ tool, home }: AskedCall, key: string, log: SessionLog): Promise<void> {
    const timeoutMs = this.#services.approval?.timeoutMs ?? 0;
    await log.commit({
      outbounds: closing(rowsFor(home, `${key}:end`, timedOutText(tool, timeoutMs)), key),
      notes: [{ key: noteKey(log.sessionKey), value: null }],
    });
  }

  async #forget(log: SessionLog): Promise<void> {
    await log.commit({ notes: [{ key: noteKey(log.sessionKey), value: null }] }, [], "written");
  }

  #isHeard(inbound: Inbound, home: Inbound): boolean {
    return inbound.draft === null && inbound.channel === home.channel &&
      inbound.chatId === home.chatId &&
      this.#services.approval?.mayDecide(inbound, home) === true;
  }

  #record(asked: AskedCall, decision: Decision, by: string | null = null, waitedMs = 0): void {
    const { tool, args, callId, home, place: { turnId } } = asked;
    const { sessionKey } = home;
    logger.info("Asking first: {tool} in {sessionKey} is {decision} {by}", {
      tool,
      sessionKey,
      decision,
      by: by === null ? "" : `by ${by}`,
    });
    this.#services.audit?.record({
      kind: "approval",
      channel: home.channel,
      sender: home.senderId,
      session: sessionKey,
      turn: turnId,
      call: callId,
      tool,
      arguments: args,
      decision,
      by,
      waitedMs,
    });
  }
}

/** The question's buttons go with these. */
function closing(rows: readonly NewOutbound[], key: string): NewOutbound[] {
  return rows.map((row) => ({ ...row, context: withClosed(row.context, key) }));
}

function noteKey(sessionKey: string): string {
  return `approval:${sessionKey}`;
}

/** A message of its own to the chat of `home`; none where replies go nowhere. */
function rowsFor(home: Inbound, key: string, content: string): NewOutbound[] {
  const { replyChannel: channel, chatId, sessionKey, context } = home;
  if (channel === null) return [];
  const row = { key, channel, chatId, sessionKey, context, content };
  return [{ ...row, state: "pending", preamble: "", media: [], isPlain: false, settles: [] }];
}
