/**
 * The core with real sessions around it: a model that echoes, a journal that can fail and crash,
 * and a channel whose platform is the test.
 * @module
 */

import type { ChannelActorMessage } from "../../actors/gateway/channel_protocol.ts";
import { localChannel } from "../../actors/gateway/channel_wiring.ts";
import { type Core, type CoreChannel, startCore } from "../../actors/gateway/core.ts";
import { type HealthReport, reportHealth } from "../../actors/gateway/health.ts";
import { JournalError } from "../../actors/journal/journal.ts";
import { MemoryJournal } from "../../actors/journal/memory_journal.ts";
import type { JournalRows } from "../../actors/journal/memory_store.ts";
import type { ActorRef } from "../../actors/kernel/ref.ts";
import type { DatedFile } from "../../actors/session/idle_compaction.ts";
import type { ArchivePort, SessionServices } from "../../actors/session/ports.ts";
import { sessionActor } from "../../actors/session/session.ts";
import type { ChannelContext } from "../../channels/channel.ts";
import type { ChatRequest } from "../../providers/provider.ts";
import type { ManualClock } from "./manual_clock.ts";
import { MemorySessionFiles } from "./memory_session_files.ts";
import { type ProbeBehaviour, ProbeChannel } from "./probe_channel.ts";
import { type Script, ScriptedProvider } from "./scripted_provider.ts";
import { benchServices } from "./session_services.ts";
import { type TestSystem, testSystem } from "./system.ts";

/** What a test may choose; everything has a default. */
export interface CoreBenchOptions extends ProbeBehaviour {
  /** What an earlier life left on disk. */
  readonly disk?: CoreDisk;
  /** Each as `channel:sender`. @default nobody */
  readonly owners?: readonly string[];
  /** How long the platform knows a key. @default never */
  readonly idempotencyMs?: number;
  /** Conversations that are idle for this long are compacted. @default none is */
  readonly compactAfterMs?: number;
  /** Where they go. @default nowhere */
  readonly archive?: ArchivePort;
  /** What the model says. @default it echoes */
  readonly script?: Script;
  /** Turns at once. @default 3 */
  readonly permitsMax?: number;
  /** Subagents at once. @default 3 */
  readonly subagentsMax?: number;
  /** What sessions share besides. @default as benches have it */
  readonly services?: Partial<SessionServices>;
}

/** All that outlives a crash, and the time of it. */
export interface CoreDisk {
  readonly rows: JournalRows;
  readonly files: Readonly<Record<string, string>>;
  readonly clock: ManualClock;
}

/** Lives of all benches, so that no two ids are the same. */
let lives = 0;

/** A core with the channel `probe`; hold it with `await using`. */
export class CoreBench implements AsyncDisposable {
  readonly world: TestSystem;
  readonly journal: MemoryJournal;
  readonly core: Core;
  readonly files: MemorySessionFiles;
  readonly provider: ScriptedProvider;
  /** Nothing can be written while it is true. */
  isDiskFull = false;
  readonly #channels: ReadonlyMap<string, ActorRef<ChannelActorMessage>>;
  #probe: ProbeChannel | undefined;
  #isDead = false;

  constructor(options: CoreBenchOptions = {}) {
    const { disk, owners = [], idempotencyMs = 0, compactAfterMs: idleMs } = options;
    const { script = (request) => `echo ${lastWords(request)}` } = options;
    this.provider = new ScriptedProvider(script);
    this.world = testSystem(disk && { clock: disk.clock });
    this.files = new MemorySessionFiles(disk?.files);
    this.journal = new MemoryJournal({
      clock: this.world.clock,
      defer: queueMicrotask,
      ...(disk && { rows: disk.rows }),
      onCommit: (phase) => {
        if (phase === "after" || !this.isDiskFull) return;
        throw new JournalError("journal_full", "Cannot commit: no space left on device");
      },
    });
    const channel = probeChannel("probe", options, (probe) => this.#probe = probe);
    this.core = startCore({
      system: this.world.system,
      journal: this.journal,
      channels: [{ ...channel, idempotencyMs }],
      permitsMax: options.permitsMax ?? 3,
      subagentsMax: options.subagentsMax ?? 3,
      isUnified: false,
      progress: { sendProgress: false, sendToolHints: false },
      sendAttemptsMax: 3,
      owners,
      retention: { finishedDays: 7, dedupeDays: 30 },
      ...(idleMs !== undefined && {
        idleCompaction: {
          clock: this.world.clock,
          idleMs,
          files: this.files,
          list: () => ReadableStream.from(this.#datedFiles()),
        },
      }),
      startSession: this.#startSession(options),
    });
    this.#channels = this.core.startChannels();
    this.core.recover();
  }

  /** The platform's side of the channel. */
  get probe(): ProbeChannel {
    if (this.#probe === undefined) throw new Error("Cannot use the channel: it has not started");
    return this.#probe;
  }

  health(): Promise<HealthReport> {
    return reportHealth({
      version: "0.0.0-test",
      uptimeMs: () => 1_000,
      deadLetters: () => this.world.deadLetters.length,
      journal: this.journal,
      gate: this.core.gate,
      router: this.core.router,
      channels: this.#channels,
      outboxes: this.core.outboxes,
    });
  }

  /** What survives when the process dies now; the bench is of no use after it. */
  crash(): CoreDisk {
    this.#isDead = true;
    const files = Object.fromEntries(this.files.texts);
    return { rows: this.journal.crash(), files, clock: this.world.clock };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const disposing = this.world[Symbol.asyncDispose]();
    // A dead journal never answers: the actors' grace period must pass.
    if (this.#isDead) await this.world.clock.advance(60_000);
    await disposing;
  }

  /** What an earlier life left was written as this one began. */
  #datedFiles(): readonly DatedFile[] {
    const modifiedAtMs = this.world.clock.now();
    return [...this.files.texts.keys()].map((name) => ({ name, modifiedAtMs }));
  }

  #startSession(
    { archive, services }: CoreBenchOptions,
  ): Parameters<typeof startCore>[0]["startSession"] {
    const { clock } = this.world;
    const life = ++lives;
    let ids = 0;
    const shared = {
      journal: this.journal,
      files: this.files,
      provider: this.provider,
      clock,
      newId: () => `life${life}-${++ids}`,
      archive,
      ...services,
    };
    return (spawn, sessionKey, router, surroundings) =>
      spawn(sessionActor(sessionKey, benchServices({ ...shared, ...surroundings }), router));
  }
}

/** A channel of the test, hosted in this process. */
export function probeChannel(
  name: string,
  behaviour: ProbeBehaviour,
  onMade: (probe: ProbeChannel) => void,
): CoreChannel {
  const create = (context: ChannelContext): ProbeChannel => {
    const probe = new ProbeChannel(context, behaviour);
    onMade(probe);
    return probe;
  };
  return localChannel({ name, create }, "/media");
}

/** The last line of what was said last: above it stand time and place. */
function lastWords({ messages }: ChatRequest): string {
  const content = messages.at(-1)?.content;
  return typeof content === "string" ? content.split("\n").at(-1) ?? "" : "";
}
