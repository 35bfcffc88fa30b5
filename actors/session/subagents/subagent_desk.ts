/**
 * The subagents of one session: starts them, knows how they get on, and ends them.
 * @module
 */

import { getLogger } from "@logtape/logtape";
import { type Inbound, subagentInputId, SYSTEM_CHANNEL } from "../../journal/journal.ts";
import type { ActorContext, StopReason } from "../../kernel/actor.ts";
import { untilAborted } from "../../kernel/aborting.ts";
import type { ActorRef } from "../../kernel/ref.ts";
import { type SubagentOrder, type SubagentStarter, ToolError } from "../../tools/tool.ts";
import type { ApprovalDesk, PermitLease } from "../approval_desk.ts";
import type { SessionMessage, SessionServices } from "../ports.ts";
import type { SessionLog } from "../session_log.ts";
import { untilWritten } from "../until_written.ts";
import { brokenReport, inlineText, reportFit, reportText, type SubagentReport } from "./report.ts";
import { subagentActor } from "./subagent.ts";
import { subagentRow, type SubagentTask } from "./subagent_row.ts";
import { SubagentStatus } from "./subagent_status.ts";

const logger = getLogger(["troupe", "session", "subagents"]);

/** Under way at once in one session, those that wait for their place included. */
const SUBAGENTS_MAX = 32;
/** Of a random id: enough to tell those of one session apart over its life. */
const ID_CHARS = 12;

/** Why a subagent stopped, as its session is told. */
export interface SubagentStopped {
  readonly type: "subagent_stopped";
  readonly id: string;
  readonly reason: StopReason;
}

/** What the desk works with. */
export interface SubagentDeskOptions {
  /** Of the session, as they are at each moment. */
  readonly services: SessionServices;
  readonly approvals: ApprovalDesk;
  /** Of the session's turn, which does without it while it waits for a subagent. */
  readonly permit: Pick<PermitLease, "giveBack">;
  /** Of the session, whose children subagents are. */
  readonly context: Pick<
    ActorContext<SessionMessage | SubagentStopped>,
    "self" | "spawn" | "stop" | "watch"
  >;
}

/** A subagent that is under way. */
interface Entry {
  readonly status: SubagentStatus;
  /** Takes its report. */
  readonly deliver: (report: SubagentReport, signal: AbortSignal) => Promise<void>;
  /** Undefined while it is being started. */
  ref?: ActorRef<never>;
}

/** What a subagent is started in. */
interface StartScene {
  readonly home: Inbound;
  readonly log: SessionLog;
  /** Of the call that starts it. */
  readonly signal: AbortSignal;
}

/** Of one session. */
export class SubagentDesk {
  readonly #options: SubagentDeskOptions;
  readonly #entries = new Map<string, Entry>();

  constructor(options: SubagentDeskOptions) {
    this.#options = options;
  }

  /** Some are under way. */
  get isBusy(): boolean {
    return this.#entries.size > 0;
  }

  /** How those get on that are under way, the oldest first. */
  get statuses(): readonly SubagentStatus[] {
    return [...this.#entries.values()].map(({ status }) => status);
  }

  /** How tools start subagents in a turn of `home`; undefined where there are none. */
  starter(home: Inbound, log: SessionLog): SubagentStarter | undefined {
    const { subagents, subagentPlaces } = this.#options.services;
    if (subagents === undefined || subagentPlaces === undefined) return undefined;
    return {
      start: (order, signal) => this.#start(order, { home, log, signal }),
      run: (order, signal) => this.#run(order, { home, log, signal }),
    };
  }

  /** A subagent is no more. One that broke is reported all the same. @throws {JournalError} */
  async ended({ id, reason }: SubagentStopped, signal: AbortSignal): Promise<void> {
    const entry = this.#entries.get(id);
    this.#entries.delete(id);
    if (reason.type === "stopped" || entry === undefined) return;
    logger.error("Subagent {id} broke: {reason}", { id, reason: reason.error.message });
    await entry.deliver(brokenReport(reason.error.message), signal);
  }

  /**
   * Ends all; they report nothing. Resolves when none of them works any more.
   *
   * @param but platform ids of rows whose subagents go on
   */
  async stopAll({ but }: { readonly but?: ReadonlySet<string> } = {}): Promise<void> {
    const meant = [...this.#entries.values()].filter(({ status: { task: { id } } }) =>
      but?.has(subagentInputId(id)) !== true
    );
    await Promise.all(meant.map((entry) => this.#stop(entry)));
  }

  async #stop({ status: { task: { id } }, ref }: Entry): Promise<void> {
    this.#entries.delete(id);
    if (ref !== undefined) await this.#options.context.stop(ref);
  }

  async #start(order: SubagentOrder, scene: StartScene): Promise<string> {
    const { journal } = this.#options.services;
    const { sessionKey } = scene.log;
    const task = this.#taskOf(order);
    const deliver = (report: SubagentReport, signal: AbortSignal) =>
      this.#complete(task, report, { sessionKey, signal });
    const entry = this.#enter(task, deliver);
    try {
      const accepted = await journal.accept(subagentRow(task, scene.home));
      if (scene.signal.aborted && accepted.state === "accepted") {
        await journal.withdraw(accepted.inbound.seq);
      }
      scene.signal.throwIfAborted();
    } catch (error) {
      this.#entries.delete(task.id);
      throw error;
    }
    this.#spawn(entry, scene);
    return task.id;
  }

  /**
   * Nothing is kept of it: whatever ends the call that waits ends it as well. Whoever runs the call
   * sees that the turn has its permit again before it goes on.
   */
  async #run(order: SubagentOrder, scene: StartScene): Promise<string> {
    const { permit } = this.#options;
    const { signal } = scene;
    const { promise, resolve } = Promise.withResolvers<SubagentReport>();
    const task = this.#taskOf(order);
    const entry = this.#enter(task, (report) => Promise.resolve(resolve(report)));
    permit.giveBack();
    try {
      this.#spawn(entry, scene);
      const report = await untilAborted(promise, signal);
      const { log: { sessionKey } } = scene;
      const fit = reportFit(this.#options.services, sessionKey);
      return await inlineText(task, report, fit);
    } finally {
      if (signal.aborted) await this.#stop(entry);
    }
  }

  #taskOf(order: SubagentOrder): SubagentTask {
    const { newId } = this.#options.services;
    return { ...order, id: newId().replaceAll(/[^\w-]/g, "").slice(-ID_CHARS) };
  }

  #enter(task: SubagentTask, deliver: Entry["deliver"]): Entry {
    if (this.#entries.size >= SUBAGENTS_MAX) {
      const text = `Cannot start a subagent: ${SUBAGENTS_MAX} are under way here; wait for results`;
      throw new ToolError("not_available", text);
    }
    const status = new SubagentStatus(task, this.#options.services.clock.now());
    const entry: Entry = { status, deliver };
    this.#entries.set(task.id, entry);
    return entry;
  }

  #spawn(entry: Entry, { home, log }: StartScene): void {
    const { services, approvals, context } = this.#options;
    const { subagents: rules, subagentPlaces: places } = services;
    if (rules === undefined || places === undefined) return;
    const { status, deliver } = entry;
    const { id } = status.task;
    const ref = context.spawn(subagentActor({
      services: { ...services }, // whatever is chosen meanwhile, it keeps its model
      ...{ rules, places, log, approvals, home, status, deliver },
    }));
    entry.ref = ref;
    context.watch(ref, (reason) => ({ type: "subagent_stopped", id, reason }));
  }

  /** The row that waited for the report becomes a message of the session, unless it was stopped. */
  async #complete(
    task: SubagentTask,
    report: SubagentReport,
    { sessionKey, signal }: { readonly sessionKey: string; readonly signal: AbortSignal },
  ): Promise<void> {
    const { services, context } = this.#options;
    const { journal, clock } = services;
    const fit = reportFit(services, sessionKey);
    const content = await reportText(task, report, fit);
    const row = { channel: SYSTEM_CHANNEL, platformId: subagentInputId(task.id) };
    const complete = () => journal.complete({ ...row, content, media: [] });
    const inbound = await untilWritten(complete, { clock, signal, sessionKey });
    if (inbound !== null) context.self.tell({ type: "inbound_accepted", inbound });
  }
}
