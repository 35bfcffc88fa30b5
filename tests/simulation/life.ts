/**
 * One life of the gateway's process: the production actors, with simulated parts around them.
 * @module
 */

import { JournalError, SYSTEM_CHANNEL } from "../../actors/journal/journal.ts";
import { MemoryJournal } from "../../actors/journal/memory_journal.ts";
import type { JournalRows } from "../../actors/journal/memory_store.ts";
import type { ActorRef } from "../../actors/kernel/ref.ts";
import type { ActorSystem } from "../../actors/kernel/system.ts";
import type { ChannelActorMessage } from "../../actors/gateway/channel_protocol.ts";
import { type Core, startCore } from "../../actors/gateway/core.ts";
import { drain } from "../../actors/gateway/drain.ts";
import type { GateReport } from "../../actors/gateway/gate.ts";
import type { OutboxReport } from "../../actors/gateway/outbox.ts";
import { effectiveSessionKey } from "../../actors/gateway/session_key.ts";
import type { SessionsReport } from "../../actors/gateway/router.ts";
import type { SessionServices } from "../../actors/session/ports.ts";
import { sessionActor } from "../../actors/session/session.ts";
import { SeededScheduler } from "../support/seeded_scheduler.ts";
import { Activity } from "./activity.ts";
import type { Chance } from "./chance.ts";
import { flaky, type FlakyOptions, FlakySystem, withFailingReads } from "./flaky.ts";
import { AwakeWatch } from "./awake.ts";
import { coreChannel, sessionServices } from "./life_parts.ts";
import { PermitWatch } from "./permits.ts";
import { LifeClock } from "./time.ts";
import type { MountedMemory } from "./memory.ts";
import type { Surroundings } from "./surroundings.ts";

/** Where in a commit a life may end. */
export type CommitPhase = "before" | "after";

/** What one life is made of. */
export interface LifeOptions {
  readonly world: Surroundings;
  readonly number: number;
  /** What the journal held at the end of the last life. */
  readonly rows: JournalRows;
  /** Called around each commit; it may kill this life. */
  readonly onCommit: (phase: CommitPhase) => void;
  /** Called as a commit begins to take seconds. */
  readonly onSlowCommit: () => void;
}

/** What is left when all is at rest. */
export interface LifeReport {
  readonly permitsHeld: number;
  readonly permitsWaiting: number;
  readonly sessionsAwake: number;
  readonly outboxWaiting: number;
  readonly outboxInFlight: number;
  readonly timers: number;
  /** The journal believes that it cannot be written; without a keeper nobody finds out. */
  readonly journalTroubles: number;
}

/** A running gateway; it is killed, or stopped. */
export class GatewayLife {
  readonly activity: Activity;
  readonly permits: PermitWatch;
  readonly awake: AwakeWatch;
  readonly clock: LifeClock;
  /** For what the event loop does: what waits there is no timer. */
  readonly #loopClock: LifeClock;
  readonly #routineClock: LifeClock;
  /** For what the memory's disk does, which may go on as well. */
  readonly #diskClock: LifeClock;
  /** For what the file of jobs does: that may go on while the gateway stops. */
  readonly #jobsClock: LifeClock;
  readonly #scheduler: SeededScheduler;
  readonly #world: Surroundings;
  readonly #journal: MemoryJournal;
  readonly #system: ActorSystem;
  readonly #core: Core;
  readonly memory: MountedMemory;
  readonly #channels: ReadonlyMap<string, ActorRef<ChannelActorMessage>>;
  /** Made for the first session, and shared by all. */
  #services: SessionServices | undefined;
  readonly #flaky: FlakyOptions;
  #isDead = false;

  constructor(options: LifeOptions) {
    const { world, number } = options;
    const chance = world.chance.fork(`life ${number}`);
    this.#world = world;
    this.#flaky = { faults: world.faults, share: world.plan.actorFailureShare, alsoBefore: true };
    this.activity = new Activity(world.log, world.plan.permitsMax);
    this.clock = new LifeClock(world.time);
    this.permits = new PermitWatch(this.clock);
    this.awake = new AwakeWatch(world.plan.awakeMax);
    this.#loopClock = new LifeClock(world.time);
    this.#routineClock = new LifeClock(world.time.routine);
    this.#jobsClock = new LifeClock(world.time.routine);
    this.#diskClock = new LifeClock(world.time);
    this.#scheduler = new SeededScheduler({
      random: chance.fork("scheduler"),
      clock: this.#loopClock,
      delayShare: world.plan.delayShare,
    });
    this.#journal = this.#openJournal(options, chance);
    this.#system = this.#makeSystem(chance);
    this.memory = world.memory.mount({
      clock: this.clock,
      diskClock: this.#diskClock,
      journal: this.#journal,
      spawn: (definition) => {
        const ref = this.#system.spawn(definition);
        this.permits.watch(ref);
        return ref;
      },
      gate: () => this.permits.seenByHolders(this.#core.gate),
    });
    this.#core = this.#startCore(chance);
    this.#channels = this.#core.startChannels();
    this.#core.recover();
    this.#startJobs();
    this.#disturbed();
  }

  /** Somebody looks after its journal. */
  get #isKept(): boolean {
    return this.#world.plan.retention !== undefined;
  }

  /** It was killed or has stopped. */
  get isDead(): boolean {
    return this.#isDead;
  }

  /** All that is durable now. */
  rows(): JournalRows {
    return this.#journal.rows();
  }

  /** Ends it as a death of the process, or of the machine, would; gives what is durable. */
  kill(what: "process" | "power"): JournalRows {
    this.#silence();
    return this.#journal.crash(what);
  }

  /** Ends it in good order. */
  async stop(): Promise<JournalRows> {
    await drain(this.#core, this.#channels, { lost: this.#journal.lost });
    await this.#system[Symbol.asyncDispose]();
    await this.#journal[Symbol.asyncDispose]();
    const rows = this.#journal.rows();
    this.#world.record.timersAfterStop += this.clock.pending + this.#routineClock.pending;
    this.#silence();
    return rows;
  }

  /** Asks its actors how they are. */
  async report(): Promise<LifeReport> {
    const timers = this.clock.pending;
    const limit = { timeoutMs: 1_000 };
    const { gate, router, outboxes } = this.#core;
    const permits = await gate.ask<GateReport>(
      (replyTo) => ({ type: "report_permits", replyTo }),
      limit,
    );
    const sessions = await router.ask<SessionsReport>(
      (replyTo) => ({ type: "report_sessions", replyTo }),
      limit,
    );
    const reports = await Promise.all(
      [...outboxes.values()].map((outbox) =>
        outbox.ask<OutboxReport>((replyTo) => ({ type: "report_outbox", replyTo }), limit)
      ),
    );
    return {
      permitsHeld: permits.held,
      permitsWaiting: permits.waiting,
      sessionsAwake: sessions.awake,
      outboxWaiting: reports.reduce((sum, { waiting }) => sum + waiting, 0),
      outboxInFlight: reports.reduce((sum, { inFlight }) => sum + inFlight, 0),
      timers,
      journalTroubles: this.#isKept && this.#journal.trouble !== null ? 1 : 0,
    };
  }

  #startJobs(): void {
    const { plan, jobs, newId, faults } = this.#world;
    if (plan.jobs.length === 0) return;
    const core = this.#core;
    const journal = withFailingReads(this.#journal, faults);
    this.#system.spawn(jobs.actor({
      clock: this.#jobsClock,
      newId,
      runs: {
        accept: (inbound) => core.accept(inbound),
        find: (id) => journal.inbound(SYSTEM_CHANNEL, id),
        hasChannel: (name) => core.outboxes.has(name),
        sessionKeyOf: (channel, chatId) =>
          effectiveSessionKey({ channel, chatId, override: undefined, isUnified: plan.isUnified }),
      },
    }));
  }

  #disturbed(): void {
    const nowMs = this.clock.now();
    this.#world.record.disturbances.push({ fromMs: nowMs, untilMs: nowMs });
  }

  #silence(): void {
    this.#isDead = true;
    this.#scheduler.hold();
    this.clock.kill();
    this.#loopClock.kill();
    this.#routineClock.kill();
    this.#jobsClock.kill();
    this.#diskClock.kill();
    // However it ends: a write that it leaves behind must not happen in the midst of another life.
    const { disk, memory, jobs } = this.#world;
    for (const files of [disk, memory, jobs]) files.crash();
  }

  #openJournal({ rows, onCommit, onSlowCommit }: LifeOptions, chance: Chance): MemoryJournal {
    const disk = chance.fork("journal");
    return new MemoryJournal({
      clock: this.clock,
      rows,
      defer: (callback) => {
        const isSlow = this.#world.faults.happens(this.#world.plan.slowCommitShare);
        if (isSlow) onSlowCommit();
        const delayMs = isSlow ? disk.between(1_000, 8_000) : disk.pick([0, 0, 0, 1, 4]);
        this.#loopClock.setTimer(delayMs, callback);
      },
      onCommit: (phase) => {
        if (this.#isDead) return;
        if (phase === "before" && this.#world.faults.fails("journal")) {
          this.#world.log.add("journal", "commit fails");
          throw new JournalError("journal_full", "Cannot commit: no space left on device");
        }
        onCommit(phase);
      },
    });
  }

  #makeSystem(chance: Chance): ActorSystem {
    const { log, newId, record } = this.#world;
    return new FlakySystem({
      clock: this.clock,
      routineClock: this.#routineClock,
      random: chance.fork("actors"),
      newId,
      scheduler: this.#scheduler,
      onDeadLetter: (letter) => {
        if (this.#isDead) return;
        record.deadLetters.push(letter);
        log.add("kernel", `dead letter of ${letter.actor}: ${letter.reason} ${letter.error ?? ""}`);
      },
      onEvent: (event) => {
        if (this.#isDead) return;
        if (event.type === "actor_stopped") {
          this.permits.actorStopped(event.actor);
          this.awake.actorStopped(event.actor);
        }
        if (event.type === "actor_restarted") {
          record.restarts.push(event);
          this.#disturbed();
          log.add("kernel", `${event.actor} restarts: ${event.error}`);
        }
      },
    }, this.#flaky);
  }

  #startCore(chance: Chance): Core {
    const world = this.#world;
    const { plan, sabotage } = world;
    const whole = withFailingReads(this.#journal, world.faults);
    const journal = sabotage.journal?.(whole) ?? whole;
    return startCore({
      system: this.#system,
      journal,
      channels: plan.channels.map((channel) => coreChannel(world, channel.name, chance)),
      permitsMax: sabotage.permitsMax?.(plan.permitsMax) ?? plan.permitsMax,
      subagentsMax: plan.subagentsMax,
      isUnified: plan.isUnified,
      progress: { sendProgress: plan.sendsProgress, sendToolHints: plan.sendsProgress },
      sendAttemptsMax: plan.sendAttemptsMax,
      owners: plan.owners,
      awakeMax: plan.awakeMax,
      ...(plan.retention && { retention: plan.retention }),
      startSession: (spawn, sessionKey, router, { gate, ...others }) => {
        this.#services ??= sessionServices({
          world,
          clock: this.clock,
          chance,
          activity: this.activity,
          journal,
          archive: this.memory.archive,
          gate: this.permits.seenByHolders(sabotage.gate?.(gate) ?? gate),
          ...others,
        });
        const session = spawn(flaky(sessionActor(sessionKey, this.#services, router), this.#flaky));
        this.permits.watch(session);
        this.awake.started(session.name);
        return session;
      },
    });
  }
}
