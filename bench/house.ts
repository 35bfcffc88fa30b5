/**
 * A gateway in this process between a channel and a model that answer at once: the production
 * actors, a SQLite journal and session files on disk. What it takes is our own time.
 * @module
 */

import { join } from "node:path";
import { loadConfig } from "../actors/config/load_config.ts";
import { systemConfigSource } from "../actors/config/adapters/system_source.ts";
import { systemWorld } from "../actors/gateway/adapters/system_world.ts";
import { localChannel } from "../actors/gateway/channel_wiring.ts";
import { startCore } from "../actors/gateway/core.ts";
import { wireServices } from "../actors/gateway/service_wiring.ts";
import { watchedProvider } from "../actors/gateway/watch/watched_parts.ts";
import { openSqliteJournal } from "../actors/journal/sqlite_journal.ts";
import { ActorSystem } from "../actors/kernel/system.ts";
import { syncWorkspace } from "../actors/session/adapters/workspace_template.ts";
import { sessionActor } from "../actors/session/session.ts";
import { UNWATCHED, type Watch } from "../actors/session/watch.ts";
import type { Channel, ChannelContext, Delivery, DeliveryReceipt } from "../channels/channel.ts";
import type { ChatEvent, ChatRequest, Provider } from "../providers/provider.ts";

/** Name of the channel, and first part of its session keys. */
export const HOUSE_CHANNEL = "bench";

const ANSWER = ["Take an umbrella: ", "showers until noon, ", "then sun and 24 degrees."];

/** Instants of one turn, milliseconds of `performance.now()`. */
export interface TurnTimes {
  /** The channel hands the message in. */
  readonly saidMs: number;
  /** The model is called. */
  readonly askedMs: number;
  /** The model's last token. */
  readonly answeredMs: number;
  /** The whole answer reaches the channel. */
  readonly deliveredMs: number;
}

/** What a house may be given; everything has a default. */
export interface HouseOptions {
  /** How long the model takes. @default at once */
  readonly thinks?: () => Promise<void>;
  /** Turns at once. @default 0, no limit */
  readonly permitsMax?: number;
  /** A home with sessions in it. @default a new one, removed at the end */
  readonly home?: string;
  /** Sessions without work sleep after this long. @default as in production */
  readonly idleMs?: number;
  /** The same of recall's Worker. @default as in production */
  readonly recallIdleMs?: number;
  /** Who watches. @default nobody does */
  readonly watch?: Watch;
}

/** A turn that is under way. */
interface Running {
  readonly saidMs: number;
  askedMs: number;
  answeredMs: number;
  readonly ended: PromiseWithResolvers<TurnTimes>;
}

/** The gateway; hold it with `await using`. */
export class House implements AsyncDisposable {
  readonly #owned: AsyncDisposableStack;
  readonly #channel: Promise<BenchChannel>;
  readonly #turns: Map<string, Running>;
  #messages = 0;

  /** Starts everything but the platforms and the health endpoint. */
  static async open(
    { thinks, permitsMax = 0, home, idleMs, recallIdleMs, watch = UNWATCHED }: HouseOptions = {},
  ): Promise<House> {
    await using opening = new AsyncDisposableStack();
    const folder = home ?? opening.adopt(
      await Deno.makeTempDir({ prefix: "troupe-bench-" }),
      (path) => Deno.remove(path, { recursive: true }),
    );
    const loaded = await loadConfig({
      source: systemConfigSource({ TROUPE_HOME: folder, HOME: folder }),
      manifests: [],
    });
    const world = systemWorld();
    const { locations, config } = loaded;
    await syncWorkspace(locations.workspace);
    const journal = opening.use(
      openSqliteJournal({ path: join(locations.stateFolder, "journal.sqlite"), ...world }),
    );
    const uptimeMs = () => performance.now();
    const system = opening.use(new ActorSystem(world));
    const { shared } = wireServices({
      ...{ loaded, version: "0", world, journal, uptimeMs, watch, recallIdleMs },
      spawn: (definition) => system.spawn(definition),
    });
    const turns = new Map<string, Running>();
    const preload = () => Promise.resolve();
    const provider = watchedProvider({ ...instantModel(turns, thinks), preload }, watch);
    const settings = { ...shared.settings, ...(idleMs !== undefined && { idleMs }) };
    const { promise: channel, resolve } = Promise.withResolvers<BenchChannel>();
    const create = (context: ChannelContext) => {
      const made = new BenchChannel(context, turns);
      resolve(made);
      return made;
    };
    const core = startCore({
      system,
      journal,
      watch,
      channels: [localChannel({ name: HOUSE_CHANNEL, create }, locations.mediaFolder)],
      permitsMax,
      isUnified: false,
      progress: config.channels,
      sendAttemptsMax: 1,
      startSession: (spawn, sessionKey, router, surroundings) =>
        spawn(sessionActor(sessionKey, { ...shared, ...surroundings, settings, provider }, router)),
    });
    core.startChannels();
    core.recover();
    return new House(opening.move(), channel, turns);
  }

  private constructor(
    owned: AsyncDisposableStack,
    channel: Promise<BenchChannel>,
    turns: Map<string, Running>,
  ) {
    this.#owned = owned;
    this.#channel = channel;
    this.#turns = turns;
  }

  /** Says something in a chat; one turn at a time in each. Resolves when the answer is there. */
  async turn(chatId: string): Promise<TurnTimes> {
    const channel = await this.#channel;
    const ended = Promise.withResolvers<TurnTimes>();
    const saidMs = performance.now();
    this.#turns.set(chatId, { saidMs, askedMs: NaN, answeredMs: NaN, ended });
    const result = await channel.say(chatId, `m${++this.#messages}`);
    if (result !== "accepted") throw new Error(`Cannot measure "${chatId}": ${result}`);
    return await ended.promise;
  }

  /** Lets go of the turns that were measured. */
  forget(): void {
    this.#turns.clear();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#owned.disposeAsync();
  }
}

/** A platform that takes every call at once. */
class BenchChannel implements Channel {
  readonly isStreaming = true;
  readonly #context: ChannelContext;
  readonly #turns: ReadonlyMap<string, Running>;

  constructor(context: ChannelContext, turns: ReadonlyMap<string, Running>) {
    this.#context = context;
    this.#turns = turns;
  }

  async run(): Promise<void> {
    const { signal } = this.#context;
    this.#context.report({ state: "ready", detail: "here" });
    const { promise, resolve } = Promise.withResolvers<void>();
    signal.addEventListener("abort", () => resolve(), { once: true });
    await promise;
  }

  say(chatId: string, platformId: string): ReturnType<ChannelContext["handIn"]> {
    return this.#context.handIn({
      platformId: `${this.#context.newId()}_${platformId}`,
      chatId,
      senderId: "ou_7d8a6e6df7621556ce0d21922b676706",
      content: "How is the weather in Shanghai today, and do I need an umbrella?",
      media: [],
      context: { message_id: platformId, chat_type: "p2p" },
    });
  }

  deliver({ chatId, phase, key }: Delivery): Promise<DeliveryReceipt> {
    const turn = this.#turns.get(chatId);
    if (phase === "final" && turn !== undefined) {
      const { saidMs, askedMs, answeredMs, ended } = turn;
      ended.resolve({ saidMs, askedMs, answeredMs, deliveredMs: performance.now() });
    }
    return Promise.resolve({ messageIds: [key] });
  }
}

function instantModel(
  turns: ReadonlyMap<string, Running>,
  thinks: HouseOptions["thinks"],
): Provider {
  async function* chat({ conversationId }: ChatRequest): AsyncGenerator<ChatEvent> {
    const turn = turns.get(conversationId.slice(HOUSE_CHANNEL.length + 1));
    if (turn !== undefined) turn.askedMs = performance.now();
    if (thinks !== undefined) await thinks();
    for (const text of ANSWER) yield { type: "text", text };
    if (turn !== undefined) turn.answeredMs = performance.now();
    yield {
      type: "finished",
      response: {
        content: ANSWER.join(""),
        calls: [],
        finishReason: "stop",
        usage: null,
        reasoning: null,
        thinkingBlocks: [],
      },
    };
  }
  return { name: "instant", chat };
}
