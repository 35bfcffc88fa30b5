/**
 * The gateway's side of one channel, in memory.
 * @module
 */

import type { Clock } from "../../actors/kernel/clock.ts";
import { asError } from "../../actors/kernel/errors.ts";
import { unreachable } from "../../actors/kernel/invariant.ts";
import type { JsonValue } from "../../actors/kernel/json.ts";
import type { ReplyTo } from "../../actors/kernel/ref.ts";
import { seededRandom } from "../../actors/kernel/random.ts";
import type {
  ChannelContext,
  ChannelInbound,
  ConnectionState,
  HandInResult,
  InboundContents,
  Transcription,
} from "../../channels/channel.ts";
import type { FromChannel } from "../../channels/host_protocol.ts";

/** What a gateway would have stored. */
export class FakeGateway {
  readonly #name: string;
  /** What the next hand-ins answer; "accepted" when it runs out. */
  readonly answers: HandInResult[] = [];
  /** In order of acceptance; a draft becomes its completed message in place. */
  readonly inbounds: ChannelInbound[] = [];
  /** Messages that were taken back. */
  readonly withdrawn: string[] = [];
  /** Sound files that were to be written down. */
  readonly heard: string[] = [];
  /** What is said in each sound file. */
  speech: Transcription = { state: "off" };
  /** Each completion waits for it. */
  completionGate: Promise<void> = Promise.resolve();
  readonly states: ConnectionState[] = [];
  /** What the owners were told. */
  readonly notices: string[] = [];
  readonly memory: Map<string, JsonValue> = new Map();
  /** The folder that channels keep media in. */
  mediaFolder = "/nowhere";
  /** The folder that channels keep keys in. */
  stateFolder = "/nowhere";
  readonly inboundMemory: Map<string, JsonValue> = new Map();
  /** How far the channel has read its platform. */
  cursor: JsonValue = null;
  /** Each hand-in waits for it. */
  gate: Promise<void> = Promise.resolve();
  /** Hand-ins that came, those that still wait included. */
  handIns = 0;
  /** Told before a state is stored; a throw is a crash at that boundary. */
  onRemember: (key: string, state: JsonValue) => void = () => {};

  /** Messages that wait to be completed. */
  get drafts(): readonly ChannelInbound[] {
    return this.inbounds.filter(({ draft }) => draft !== undefined);
  }

  /** @param name runtime name of its channel */
  constructor(name: string = "feishu") {
    this.#name = name;
  }

  /** Answers a channel's host; the end of a run is its test's affair. */
  receive(message: Exclude<FromChannel, { readonly type: "run_ended" }>): void {
    switch (message.type) {
      case "hand_in":
        return answer(message.replyTo, () => this.#handIn(message.inbound));
      case "complete_inbound":
        return answer(message.replyTo, async () => {
          await this.#complete(message.platformId, message.contents);
          return "completed";
        });
      case "list_drafts":
        return message.replyTo.reply(this.drafts);
      case "withdraw_inbound":
        this.withdrawn.push(message.platformId);
        return message.replyTo.reply("withdrawn");
      case "transcribe":
        this.heard.push(message.path);
        return message.replyTo.reply(this.speech);
      case "remember":
        return answer(message.replyTo, () => {
          this.#remember(message.key, message.channelState);
          return "remembered";
        });
      case "remember_inbound":
        this.inboundMemory.set(message.platformId, message.channelState);
        return message.replyTo.reply("remembered");
      case "recall_inbound":
        return message.replyTo.reply(this.inboundMemory.get(message.platformId) ?? null);
      case "list_sessions":
        return message.replyTo.reply([]);
      case "read_session":
        return message.replyTo.reply(null);
      case "erase_session":
        return message.replyTo.reply("missing");
      case "read_cursor":
        return message.replyTo.reply(this.cursor);
      case "keep_cursor":
        this.cursor = message.cursor;
        return message.replyTo.reply("remembered");
      case "connection_changed":
        this.states.push(message.connection);
        return;
      case "owners_informed":
        this.notices.push(message.text);
        return;
      case "logged":
        return;
      default:
        return unreachable(message);
    }
  }

  /** The context of one channel; a second one is a new Worker on the same journal. */
  context(clock: Clock, signal: AbortSignal): ChannelContext {
    let ids = 0;
    return {
      name: this.#name,
      clock,
      random: seededRandom(1),
      newId: () => `id-${++ids}`,
      mediaFolder: this.mediaFolder,
      stateFolder: this.stateFolder,
      signal,
      handIn: (inbound) => this.#handIn(inbound),
      complete: (platformId, contents) => this.#complete(platformId, contents),
      drafts: () => Promise.resolve(this.drafts),
      withdraw: (platformId) => {
        this.withdrawn.push(platformId);
        return Promise.resolve();
      },
      transcribe: (path) => {
        this.heard.push(path);
        return Promise.resolve(this.speech);
      },
      remember: (key, state) => {
        this.#remember(key, state);
        return Promise.resolve();
      },
      rememberInbound: (platformId, state) => {
        this.inboundMemory.set(platformId, state);
        return Promise.resolve();
      },
      readCursor: () => Promise.resolve(this.cursor),
      keepCursor: (cursor) => {
        this.cursor = cursor;
        return Promise.resolve();
      },
      informOwners: (text) => void this.notices.push(text),
      report: (state) => void this.states.push(state),
    };
  }

  async #handIn(inbound: ChannelInbound): Promise<HandInResult> {
    this.handIns++;
    await this.gate;
    const isKnown = this.inbounds.some(({ platformId }) => platformId === inbound.platformId);
    const result = this.answers.shift() ?? (isKnown ? "duplicate" : "accepted");
    if (result === "accepted") this.inbounds.push(inbound);
    return result;
  }

  async #complete(platformId: string, contents: InboundContents): Promise<void> {
    await this.completionGate;
    const at = this.inbounds.findIndex((inbound) => inbound.platformId === platformId);
    const found = this.inbounds[at];
    if (found?.draft === undefined) return;
    const { draft: _completed, ...inbound } = found;
    this.inbounds[at] = { ...inbound, ...contents };
  }

  #remember(key: string, state: JsonValue): void {
    this.onRemember(key, state);
    this.memory.set(key, state);
  }
}

/** Answers with what `work` gives, or refuses with what it throws. */
function answer<Answer>(replyTo: ReplyTo<Answer>, work: () => Answer | Promise<Answer>): void {
  new Promise<Answer>((resolve) => resolve(work())).then(
    (value) => replyTo.reply(value),
    (error) => replyTo.refuse(asError(error)),
  );
}
