/**
 * A seeded world: people, platforms, a model, and a gateway that dies and comes back.
 * @module
 */

import { type JournalRows, NO_ROWS } from "../../actors/journal/memory_store.ts";
import { parseSessionFile } from "../../actors/session/session_file.ts";
import { Chance } from "./chance.ts";
import { SimulatedDisk } from "./disk.ts";
import { EventLog } from "./event_log.ts";
import { Faults } from "./faults.ts";
import { Interjections } from "./interjections.ts";
import { JournalWatch } from "./journal_watch.ts";
import { type CommitPhase, GatewayLife } from "./life.ts";
import { SimulatedJobs } from "./jobs.ts";
import { SimulatedMemory } from "./memory.ts";
import { planMemory } from "./memory_routine.ts";
import { JOBS_PAUSED_MS, type PlannedMessage, planOf, type WorldPlan } from "./plan.ts";
import { SimulatedPlatform } from "./platform.ts";
import { newRecord } from "./record.ts";
import { replayWorld } from "./replays.ts";
import type { Sabotage } from "./sabotage.ts";
import type { Surroundings } from "./surroundings.ts";
import { SimulatedTime } from "./time.ts";

/** A world that does not come to rest within this many events never will. */
const EVENTS_MAX = 20_000;

/** In this time the keeper looks after the journal at least once. */
const LOOK_MS = 12_000;
/** Longer than any write of the routine that a stop waits for. */
const STOP_MS = 1_000;
/** So long the routine goes on at rest: after it nothing is left of what may be forgotten. */
const IDLE_MS = 6_500_000;

/** A replay of all its sessions adds a fifth to a world's time: so one world in so many has it. */
const REPLAYED_EACH = 4;

/** After the jobs are paused the last runs end, and are noted. */
const JOBS_REST_MS = 60_000;

/** What dies. */
type Loss = "process" | "power";

/** How a life of the gateway is going to end, and when. */
type Ending =
  | { readonly type: "none" }
  | {
    readonly type: "at_commit";
    readonly commit: number;
    readonly phase: CommitPhase;
    readonly loss: Loss;
  }
  | { readonly type: "at_memory_write"; readonly write: number; readonly loss: Loss }
  | { readonly type: "at_job_write"; readonly write: number; readonly loss: Loss }
  | { readonly type: "at_time"; readonly afterMs: number; readonly loss: Loss }
  | { readonly type: "stop"; readonly afterMs: number; readonly killedAfterMs: number | undefined };

/** A world after its run. */
export type FinishedWorld = Surroundings;

/** What a run may change about a seed's world. */
export interface WorldOptions {
  readonly sabotage?: Sabotage;
  /** @default the plan of the seed */
  readonly plan?: WorldPlan;
}

/** Runs the world of a seed until all is at rest, then stops the gateway. */
export async function runWorld(seed: number, options: WorldOptions = {}): Promise<FinishedWorld> {
  const world = new World(options.plan ?? planOf(seed), options.sabotage ?? {});
  return await world.run();
}

class World {
  readonly #parts: Surroundings;
  readonly #chance: Chance;
  readonly #startChance: Chance;
  readonly #jobChance: Chance;
  readonly #startMs: number;
  readonly #interjections: Interjections;
  #life: GatewayLife | undefined;
  #ending: Ending = { type: "none" };
  #endingsLeft: number;
  #commitsOfLife = 0;
  #memoryWritesOfLife = 0;
  #jobWritesOfLife = 0;
  /** What is to be written yet, when the last message has come to its end. */
  #lastWord: PlannedMessage | undefined;

  constructor(plan: WorldPlan, sabotage: Sabotage) {
    this.#parts = makeParts(plan, sabotage);
    this.#chance = this.#parts.chance.fork("world");
    this.#startMs = this.#parts.time.now();
    this.#startChance = this.#parts.chance.fork("starts");
    this.#jobChance = this.#parts.chance.fork("job writes");
    this.#interjections = new Interjections({
      plan,
      chance: this.#parts.chance.fork("interjections"),
      schedule: (message, index) => this.#schedule(message, index),
    });
    this.#endingsLeft = plan.endings;
    this.#parts.memory.disk.onWrite = () => this.#onMemoryWrite();
    this.#parts.jobs.onWrite = () => this.#onJobWrite();
    this.#lastWord = plan.lastWord;
  }

  async run(): Promise<FinishedWorld> {
    const { time, record } = this.#parts;
    this.#scheduleMessages();
    this.#scheduleLostLinks();
    this.#planMemory();
    this.#planJobs();
    this.#start(NO_ROWS);
    record.end = await time.run({ eventsMax: EVENTS_MAX });
    if (record.end === "at_rest") await this.#finish();
    const isReplayed = this.#parts.plan.seed % REPLAYED_EACH === 0;
    if (record.hasStopped && isReplayed) record.replays = await replayWorld(this.#parts);
    return this.#parts;
  }

  /** Looks at the gateway at rest, then stops it. */
  async #finish(): Promise<void> {
    const { time, record, log, plan } = this.#parts;
    const isKept = plan.retention !== undefined;
    const calmMs = Math.max(time.now(), this.#startMs + plan.calmFromMs);
    if (isKept) await time.run({ eventsMax: EVENTS_MAX, untilMs: calmMs + LOOK_MS });
    if (plan.jobs.length > 0) {
      const pausedMs = this.#startMs + plan.calmFromMs + JOBS_PAUSED_MS;
      const restMs = Math.max(time.now(), pausedMs) + JOBS_REST_MS; // a run may have gone on for long
      await time.run({ eventsMax: EVENTS_MAX, untilMs: restMs });
    }
    const life = this.#life; // what the keeper commits before it is calm may end one
    if (life === undefined) return;
    life.report().then((report) => record.report = report, () => {});
    await time.run({ eventsMax: EVENTS_MAX });
    if (isKept) await time.run({ eventsMax: EVENTS_MAX, untilMs: time.now() + IDLE_MS });
    log.add("world", "the gateway stops");
    life.stop().then((rows) => {
      record.hasStopped = true;
      record.rows = rows;
    });
    // What the file of jobs does is routine, and their keeper ends it before it has stopped.
    await time.run({ eventsMax: EVENTS_MAX, untilMs: time.now() + STOP_MS });
    await time.run({ eventsMax: EVENTS_MAX });
    this.#collect(life);
  }

  #scheduleMessages(): void {
    this.#parts.plan.messages.forEach((message, index) => this.#schedule(message, index));
  }

  /** @param index its place among all messages */
  #schedule({ atMs, channel, takenBackAfterMs, ...written }: PlannedMessage, index: number): void {
    const { time, platforms } = this.#parts;
    const { chatId, text, media, isDraft } = written;
    const platformId = `p${index + 1}`;
    const senderId = `person of ${chatId}`;
    const message = { platformId, chatId, senderId, text, media, isDraft };
    const platform = platforms.get(channel);
    time.setTimer(atMs, () => platform?.post(message));
    if (takenBackAfterMs === undefined) return;
    time.setTimer(atMs + takenBackAfterMs, () => platform?.takeBack(platformId));
  }

  #sayLastWord(): void {
    const { plan: { messages }, watch } = this.#parts;
    const lastWord = this.#lastWord;
    if (lastWord === undefined) return;
    if (!watch.endedIds.has(`p${messages.length}`)) return;
    this.#lastWord = undefined;
    this.#schedule(lastWord, messages.length);
  }

  #scheduleLostLinks(): void {
    const { plan, time, platforms } = this.#parts;
    for (const platform of platforms.values()) {
      const count = this.#chance.weighted([[0, 2], [1, 2], [4, 1]]);
      for (let n = 0; n < count; n++) {
        const atMs = this.#chance.between(0, plan.calmFromMs);
        time.setTimer(atMs, () => platform.breakLink());
      }
    }
  }

  #planMemory(): void {
    const { plan: { calmFromMs }, time, memory, chance } = this.#parts;
    planMemory({
      ...{ time, memory, calmFromMs },
      chance: chance.fork("memory routine"),
      mounted: () => this.#life?.memory,
    });
  }

  #planJobs(): void {
    const { plan: { jobs: planned, calmFromMs }, time, jobs } = this.#parts;
    if (planned.length === 0) return;
    time.setTimer(calmFromMs + JOBS_PAUSED_MS, () => jobs.pauseByHand());
  }

  #start(rows: JournalRows): void {
    const { record, log } = this.#parts;
    const number = ++record.lives;
    log.add("world", `life ${number} of the gateway begins`);
    this.#commitsOfLife = 0;
    this.#memoryWritesOfLife = 0;
    this.#jobWritesOfLife = 0;
    if (number > 1) this.#breakStart();
    this.#ending = this.#drawEnding();
    const life = new GatewayLife({
      world: this.#parts,
      number,
      rows,
      onCommit: (phase) => this.#onCommit(life, phase),
      onSlowCommit: () => this.#interjections.onSlowCommit(this.#life?.activity.sessions ?? []),
    });
    this.#life = life;
    this.#scheduleEnding(life, this.#ending);
  }

  /** What killed a gateway may still be about when the next one starts. */
  #breakStart(): void {
    const { faults, record, time } = this.#parts;
    if (faults.isCalm || !this.#startChance.happens(0.2)) return;
    const lastsMs = this.#startChance.between(1, 6_000);
    faults.breakFor("journal", lastsMs);
    record.disturbances.push({ fromMs: time.now(), untilMs: time.now() + lastsMs });
  }

  #drawEnding(): Ending {
    const chance = this.#chance;
    const { plan: { jobs } } = this.#parts;
    if (this.#endingsLeft === 0 || this.#parts.faults.isCalm) return { type: "none" };
    this.#endingsLeft--;
    const loss = chance.pick<Loss>(["process", "power"]);
    const afterMs = chance.weighted([[chance.between(0, 3_000), 1], [
      chance.between(3_000, 120_000),
      3,
    ]]);
    const commit = chance.weighted([[chance.between(1, 8), 2], [chance.between(8, 100), 3]]);
    const killedAfterMs = chance.pick([undefined, undefined, chance.between(0, 6_000)]);
    return chance.weighted<Ending>([
      [{ type: "at_commit", commit, phase: chance.pick(["before", "after"]), loss }, 6],
      [
        { type: "at_job_write", write: this.#jobChance.between(1, 8), loss },
        jobs.length > 0 ? 8 : 0,
      ],
      [{ type: "at_memory_write", write: chance.between(1, 6), loss }, 4],
      [{ type: "at_time", afterMs, loss }, 3],
      [{ type: "stop", afterMs, killedAfterMs }, 2],
    ]);
  }

  #scheduleEnding(life: GatewayLife, ending: Ending): void {
    const { time } = this.#parts;
    if (ending.type === "at_time") {
      time.setTimer(ending.afterMs, () => this.#kill(life, ending.loss));
    } else if (ending.type === "stop") {
      time.setTimer(ending.afterMs, () => this.#stop(life));
      if (ending.killedAfterMs === undefined) return;
      time.setTimer(ending.afterMs + ending.killedAfterMs, () => this.#kill(life, "process"));
    }
  }

  #onCommit(life: GatewayLife, phase: CommitPhase): void {
    const { plan, watch } = this.#parts;
    if (phase === "before") this.#commitsOfLife++;
    else watch.observe(life.rows());
    this.#sayLastWord();
    const ending = this.#ending;
    if (phase === "after" && watch.hasLateResult && plan.endings > 0) {
      return this.#kill(life, "process"); // so rare a moment is not left to chance
    }
    if (ending.type !== "at_commit" || ending.phase !== phase) return;
    if (this.#commitsOfLife < ending.commit || this.#parts.faults.isCalm) return;
    this.#kill(life, ending.loss);
  }

  #onMemoryWrite(): void {
    const life = this.#life;
    const ending = this.#ending;
    this.#memoryWritesOfLife++;
    if (life === undefined || ending.type !== "at_memory_write") return;
    if (this.#memoryWritesOfLife >= ending.write) this.#kill(life, ending.loss);
  }

  #onJobWrite(): void {
    const life = this.#life;
    const ending = this.#ending;
    this.#jobWritesOfLife++;
    if (life === undefined || ending.type !== "at_job_write") return;
    if (this.#jobWritesOfLife >= ending.write) this.#kill(life, ending.loss);
  }

  #kill(life: GatewayLife, loss: Loss): void {
    if (life.isDead || life !== this.#life || this.#parts.faults.isCalm) return;
    const { log, platforms, watch } = this.#parts;
    log.add("world", `the ${loss} dies`);
    const rows = life.kill(loss);
    watch.undo(rows);
    watch.observe(rows);
    for (const platform of platforms.values()) platform.breakLink();
    this.#startAgain(life, rows);
  }

  #stop(life: GatewayLife): void {
    if (life.isDead || life !== this.#life) return;
    this.#parts.log.add("world", "the gateway stops in good order");
    void life.stop().then((rows) => {
      if (life === this.#life) this.#startAgain(life, rows);
    });
  }

  #startAgain(life: GatewayLife, rows: JournalRows): void {
    this.#collect(life);
    this.#life = undefined;
    const delayMs = this.#chance.between(0, 20_000);
    this.#parts.time.setTimer(delayMs, () => this.#start(rows));
  }

  #collect(life: GatewayLife): void {
    this.#parts.record.breaches.push(
      ...life.activity.breaches,
      ...life.permits.breaches,
      ...life.awake.breaches,
    );
  }
}

function makeParts(plan: WorldPlan, sabotage: Sabotage): Surroundings {
  const time = new SimulatedTime();
  const startMs = time.now();
  const log = new EventLog(time);
  const chance = new Chance(plan.seed);
  const faults = new Faults(time, plan, chance.fork("faults"));
  const watch = new JournalWatch({ log, clock: time, retention: plan.retention });
  const disk = new SimulatedDisk({
    chance: chance.fork("disk"),
    faults,
    log,
    onReplaced: (before, text) => {
      const begun = sessionBegunAnew(before, text);
      if (begun !== undefined) watch.forgetStory(begun);
    },
  });
  const platforms = new Map(plan.channels.map((channel) => [
    channel.name,
    new SimulatedPlatform({
      plan: channel,
      clock: time,
      chance: chance.fork(`platform ${channel.name}`),
      faults,
      log,
    }),
  ]));
  let ids = 0;
  return {
    plan,
    startMs,
    time,
    chance,
    faults,
    log,
    disk,
    memory: new SimulatedMemory({ chance: chance.fork("memory"), faults, log }),
    jobs: new SimulatedJobs({
      ...{ plan: plan.jobs, startMs, faults, log },
      chance: chance.fork("jobs"),
    }),
    watch,
    platforms,
    record: newRecord(plan.outages.map(({ fromMs, untilMs }) => ({
      fromMs: startMs + fromMs,
      untilMs: startMs + untilMs,
    }))),
    sabotage,
    newId: () => `id${++ids}`,
  };
}

/** The key of the session whose file was emptied, unless only damage was taken out of it. */
function sessionBegunAnew(before: string, text: string): string | undefined {
  const after = parseSessionFile(text);
  const { healthyText } = parseSessionFile(before);
  const isRepair = healthyText !== before && healthyText === text;
  return after.messages.length > 0 || isRepair ? undefined : after.metadata?.key ?? undefined;
}
