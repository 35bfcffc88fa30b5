/**
 * Jobs without a disk and a gateway around them: a file that a person can write into, and a
 * gateway that takes runs in and ends them when the test says so.
 * @module
 */

import { CronKeeper } from "../../../actors/automation/cron_keeper.ts";
import type { JobDraft, Requester } from "../../../actors/automation/cron_protocol.ts";
import { type Job, readJob } from "../../../actors/automation/job.ts";
import type { JobFiles, RunPort } from "../../../actors/automation/ports.ts";
import { asJson } from "../../../actors/kernel/json.ts";
import type { Inbound, InboundState, NewInbound } from "../../../actors/journal/journal.ts";

/** An owner at the machine. */
export const OWNER: Requester = { address: null, isOwner: true, chat: null };

/** Monday noon, UTC. */
export const NOON_MS: number = Date.UTC(2026, 5, 1, 12);

/** The file in memory. */
export class MemoryJobFiles implements JobFiles {
  text: string | null = null;
  copy: string | null = null;
  readonly aside: string[] = [];
  /** Called before each swap looks at the file. */
  beforeSwap: () => void = () => {};
  #version = 0;

  /** A person saves the file. */
  edit(text: string | null): void {
    this.text = text;
    this.#version++;
  }

  /** The entries as they stand there. */
  entries(): { id: string; [field: string]: unknown }[] {
    return JSON.parse(this.text ?? '{"jobs":[]}').jobs;
  }

  read(): Promise<string | null> {
    return Promise.resolve(this.text);
  }

  mark(): Promise<string | null> {
    return Promise.resolve(this.text === null ? null : `${this.#version}`);
  }

  swap(expected: string | null, text: string): Promise<boolean> {
    this.beforeSwap();
    if (this.text !== expected) return Promise.resolve(false);
    this.edit(text);
    return Promise.resolve(true);
  }

  setAside(text: string): Promise<string> {
    this.aside.push(text);
    return Promise.resolve(`jobs.json.corrupt-${this.aside.length}`);
  }

  readCopy(): Promise<string | null> {
    return Promise.resolve(this.copy);
  }

  keepCopy(text: string): Promise<void> {
    this.copy = text;
    return Promise.resolve();
  }
}

/** A gateway that remembers what it took in, whatever the process of the jobs does. */
export class FakeRuns implements RunPort {
  readonly taken: Map<string, Inbound> = new Map();
  readonly channels: Set<string> = new Set(["probe"]);
  /** How a run ends as soon as it is taken in; null leaves it under way. */
  endsAs: InboundState | null = "done";
  failure: Error | null = null;
  #now: () => number;

  constructor(now: () => number) {
    this.#now = now;
  }

  get ids(): string[] {
    return [...this.taken.keys()];
  }

  get texts(): string[] {
    return [...this.taken.values()].map(({ content }) => content);
  }

  accept(inbound: NewInbound): ReturnType<RunPort["accept"]> {
    if (this.failure !== null) return Promise.reject(this.failure);
    const seq = this.taken.size + 1;
    if (this.taken.has(inbound.platformId)) return Promise.resolve({ state: "duplicate", seq });
    const state = this.endsAs ?? "running";
    const accepted: Inbound = {
      ...inbound,
      ...{ seq, acceptedAtMs: this.#now(), state, channelState: null, draft: null },
      ...{ turnId: null, turnLine: null },
      replyChannel: inbound.replyChannel ?? null,
      endedAtMs: this.endsAs === null ? null : this.#now(),
    };
    this.taken.set(inbound.platformId, accepted);
    return Promise.resolve({ state: "accepted", inbound: accepted });
  }

  /** The runs under way end. */
  end(state: InboundState = "done"): void {
    for (const [id, inbound] of this.taken) {
      if (inbound.state === "running") {
        this.taken.set(id, { ...inbound, state, endedAtMs: this.#now() });
      }
    }
  }

  find(id: string): Promise<Inbound | null> {
    return Promise.resolve(this.taken.get(id) ?? null);
  }

  hasChannel(name: string): boolean {
    return this.channels.has(name);
  }

  sessionKeyOf(channel: string, chatId: string): string {
    return `${channel}:${chatId}`;
  }
}

/** Jobs and all around them. */
export class CronBench {
  nowMs: number;
  readonly files: MemoryJobFiles = new MemoryJobFiles();
  readonly runs: FakeRuns = new FakeRuns(() => this.nowMs);
  readonly told: string[] = [];
  keeper: CronKeeper;
  #ids = 0;
  readonly #timezone: string;

  constructor(nowMs: number = NOON_MS, timezone: string = "UTC") {
    this.nowMs = nowMs;
    this.#timezone = timezone;
    this.keeper = this.#start();
  }

  /** The process dies, and another one takes its place. */
  restart(): void {
    this.keeper = this.#start();
  }

  #start(): CronKeeper {
    return new CronKeeper({
      files: this.files,
      timezone: this.#timezone,
      now: () => this.nowMs,
      newId: () => `id-${++this.#ids}`,
      runs: this.runs,
      inform: (text) => void this.told.push(text),
    });
  }

  /** Adds a job of chat 1; the test fails where that is refused. */
  async add(
    schedule: JobDraft["schedule"],
    change: Partial<JobDraft> = {},
    by: Requester = OWNER,
  ): Promise<Job> {
    const draft = { message: "Water the plants", deliver: true, channel: "probe", to: "1" };
    const answer = await this.keeper.add({ ...draft, sessionKey: null, schedule, ...change }, by);
    if (answer.state === "refused") throw new Error(answer.reason);
    return answer.job;
  }

  /** Time passes, and the jobs are looked at. */
  async pass(ms: number): Promise<void> {
    this.nowMs += ms;
    await this.keeper.look();
  }

  /** The jobs as they stand in the file; nothing is looked at for it. */
  stored(): readonly Job[] {
    return this.files.entries().flatMap((entry) => {
      const read = readJob(asJson(entry), "UTC");
      return read.state === "ok" ? [read.job] : [];
    });
  }

  /** The jobs as they are now. */
  async jobs(): Promise<readonly Job[]> {
    return (await this.keeper.list(OWNER)).jobs;
  }

  async job(): Promise<Job> {
    const [job] = await this.jobs();
    if (job === undefined) throw new Error("there is no job");
    return job;
  }
}
