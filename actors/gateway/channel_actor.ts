/**
 * The gateway's side of a channel: takes its messages in, carries deliveries out, starts it again
 * when it dies, and knows how it is.
 * @module
 */

import { getLogger } from "@logtape/logtape";
import type { ConnectionState, Delivery } from "../../channels/channel.ts";
import type { DeliveryOutcome, LookUpOutcome, ToChannel } from "../../channels/host_protocol.ts";
import { logForwarded } from "../../channels/worker_logs.ts";
import type { Actor, ActorContext, ActorDefinition, Outcome, StopReason } from "../kernel/actor.ts";
import { asError, AskError } from "../kernel/errors.ts";
import { unreachable } from "../kernel/invariant.ts";
import { jitter } from "../kernel/random.ts";
import type { ActorRef, ReplyTo } from "../kernel/ref.ts";
import { ChannelDesk, type ChannelDeskOptions } from "./channel_desk.ts";
import type {
  ChannelActorMessage,
  ChannelEvent,
  ChannelReport,
  StartHost,
} from "./channel_protocol.ts";
import type { AlarmMessage } from "./owner_notices.ts";

const logger = getLogger(["troupe", "gateway", "channel"]);

const RESTART_FIRST_MS = 1_000;
/** A channel never stops for good: past its back-off it tries again this often. */
const RESTART_MAX_MS = 60_000;
/** After this long without a fault the back-off starts anew. */
const CALM_MS = 60_000;
/** Faults in a row, without calm, after which the owners hear of it. */
const FAULTS_ALARMING = 5;
const JITTER_SHARE = 0.2;
/** Longest time for one delivery, uploads included. */
const DELIVERY_TIMEOUT_MS = 300_000;
/** Longest time for a channel to close its connection. */
const STOP_TIMEOUT_MS = 5_000;

/** What a channel's actor is made of. */
export interface ChannelActorOptions extends Omit<ChannelDeskOptions, "pipe"> {
  readonly startHost: StartHost;
  /** Told when the channel is in trouble. @default nobody */
  readonly alarms?: ActorRef<AlarmMessage>;
}

/** Defines the actor of a channel. */
export function channelActor(options: ChannelActorOptions): ActorDefinition<ChannelActorMessage> {
  let lives = 0;
  const settings: HostSettings = { startHost: options.startHost };
  return {
    name: `channel_${options.name}`,
    mailboxMax: 10_000,
    create: (context) => {
      // What an earlier life accepted last, nobody may have heard of.
      if (lives++ > 0) options.router.tell({ type: "rescan" });
      return new ChannelActor(context, options, settings);
    },
  };
}

/** How the channel itself is started: as it was last told, also after a restart of its actor. */
interface HostSettings {
  startHost: StartHost;
}

class ChannelActor implements Actor<ChannelActorMessage> {
  readonly #context: ActorContext<ChannelActorMessage>;
  readonly #options: ChannelActorOptions;
  readonly #desk: ChannelDesk;
  readonly #settings: HostSettings;
  #host: ActorRef<ToChannel> | undefined;
  #connection: ConnectionState = { state: "connecting", detail: "starting" };
  #startedAtMs = 0;
  #restarts = 0;
  #stuckThreads = 0;
  #recentFaults = 0;
  #lastError: string | null = null;
  #lastEvent: ChannelEvent | null = null;
  #isStopping = false;
  /** The connection of earlier settings is being closed. */
  #isChanging = false;

  constructor(
    context: ActorContext<ChannelActorMessage>,
    options: ChannelActorOptions,
    settings: HostSettings,
  ) {
    this.#context = context;
    this.#options = options;
    this.#settings = settings;
    this.#desk = new ChannelDesk({
      ...options,
      pipe: (work, done) => {
        context.pipe(work, (outcome) => {
          done(outcome);
          return { type: "answered" };
        });
      },
    });
    this.#startHost();
  }

  receive(message: ChannelActorMessage): void {
    switch (message.type) {
      case "hand_in":
        this.#noteEvent("message_received");
        return this.#desk.receive(message);
      case "complete_inbound":
      case "list_drafts":
      case "withdraw_inbound":
      case "transcribe":
      case "remember":
      case "remember_inbound":
      case "recall_inbound":
      case "list_sessions":
      case "read_session":
      case "erase_session":
      case "read_cursor":
      case "keep_cursor":
        return this.#desk.receive(message);
      case "connection_changed":
        return this.#connectionChanged(message.connection, message.isStreaming);
      case "owners_informed":
        this.#options.alarms?.tell(message);
        return;
      case "logged":
        return logForwarded(message);
      case "worker_ready":
      case "worker_died": // the host's stop follows
        return;
      case "worker_stuck":
        return this.#threadStuck();
      case "run_ended":
        return this.#runEnded(message.error);
      case "deliver":
        return this.#deliver(message);
      case "look_up":
        return this.#lookUp(message.delivery, message.replyTo);
      case "note_waiting":
        this.#host?.tell(message);
        return;
      case "report_channel":
        return message.replyTo.reply(this.#report());
      case "change_host":
        return this.#changeHost(message.startHost, message.replyTo);
      case "host_left":
        return this.#hostLeft(message.replyTo);
      case "stop_intake":
        return this.#desk.stopIntake();
      case "stop_channel":
        return this.#stop(message.replyTo);
      case "host_stopped":
        return this.#hostStopped(message.host, message.reason);
      case "host_due":
        return this.#startHost();
      case "answered":
        return;
      default:
        return unreachable(message);
    }
  }

  #startHost(): void {
    if (this.#isStopping || this.#isChanging || this.#host !== undefined) return;
    this.#startedAtMs = this.#context.clock.now();
    const host = this.#settings.startHost(
      (definition) => this.#context.spawn(definition),
      this.#context.self,
    );
    this.#host = host;
    this.#context.watch(host, (reason) => ({ type: "host_stopped", host, reason }));
  }

  /** What is under way to the platform may come to its end; nothing new begins meanwhile. */
  #changeHost(startHost: StartHost, replyTo: ReplyTo<"changed">): void {
    const { name, outbox } = this.#options;
    const host = this.#host;
    this.#settings.startHost = startHost;
    this.#recentFaults = 0;
    this.#lastError = null;
    this.#connection = { state: "connecting", detail: "starts anew with other settings" };
    this.#options.alarms?.tell({ type: "alarm_cleared", subject: this.#subject });
    if (host === undefined) return this.#hostLeft(replyTo);
    this.#host = undefined;
    this.#isChanging = true;
    outbox.tell({ type: "channel_lost" });
    logger.info("Channel {name} starts anew, as its settings changed", { name });
    this.#context.pipe(
      async () => {
        await this.#close(host);
        await this.#context.stop(host);
      },
      () => ({ type: "host_left", replyTo }),
    );
  }

  #hostLeft(replyTo: ReplyTo<"changed">): void {
    this.#isChanging = false;
    this.#startHost();
    replyTo.reply("changed");
  }

  #connectionChanged(connection: ConnectionState, isStreaming: boolean): void {
    const { name, outbox } = this.#options;
    this.#connection = connection;
    this.#noteEvent("connection_changed");
    this.#tellState();
    const details = { name, state: connection.state, detail: connection.detail };
    if (connection.state === "ready") {
      logger.info("Channel {name} is ready: {detail}", details);
      outbox.tell({ type: "channel_ready", isStreaming });
      this.#options.alarms?.tell({ type: "alarm_cleared", subject: this.#subject });
    } else {
      logger.info("Channel {name} is {state}: {detail}", details);
      outbox.tell({ type: "channel_lost" });
    }
  }

  #runEnded(error: string | null): void {
    const { name, outbox } = this.#options;
    outbox.tell({ type: "channel_lost" });
    if (error === null) {
      this.#connection = { state: "stopped", detail: "ended by itself" };
      return this.#tellState();
    }
    this.#lastError = error;
    this.#connection = { state: "failed", detail: error };
    this.#tellState();
    logger.error("Channel {name} has failed and stays off: {error}", { name, error });
    this.#alarm(`Channel ${name} has failed and stays off until it is mended: ${error}`);
  }

  #noteEvent(what: ChannelEvent["what"]): void {
    this.#lastEvent = { what, atMs: this.#context.clock.now() };
  }

  #tellState(): void {
    const { name: channel, hooks } = this.#options;
    const { state, detail } = this.#connection;
    hooks?.tell({ event: "channel_state", channel, state, detail });
  }

  get #subject(): string {
    return `channel:${this.#options.name}`;
  }

  #alarm(text: string): void {
    this.#options.alarms?.tell({ type: "alarm_raised", subject: this.#subject, text });
  }

  #threadStuck(): void {
    this.#stuckThreads++;
    this.#options.alarms?.tell({
      type: "alarm_raised",
      subject: `stuck:${this.#options.name}`,
      text: `Channel ${this.#options.name} hung and was replaced, but what hung cannot be ended: ` +
        "it may use a whole processor core until the gateway restarts. /restart does that.",
    });
  }

  #hostStopped(host: ActorRef<ToChannel>, reason: StopReason): void {
    if (host !== this.#host) return; // that of earlier settings
    this.#host = undefined;
    if (this.#isStopping) return;
    const { name, outbox } = this.#options;
    outbox.tell({ type: "channel_lost" });
    const error = reason.type === "failed" ? reason.error.message : "it stopped";
    const nowMs = this.#context.clock.now();
    if (nowMs - this.#startedAtMs >= CALM_MS) this.#recentFaults = 0;
    const delayMs = jitter(
      this.#context.random,
      Math.min(RESTART_FIRST_MS * 2 ** this.#recentFaults, RESTART_MAX_MS),
      JITTER_SHARE,
    );
    this.#recentFaults++;
    this.#restarts++;
    this.#lastError = error;
    this.#connection = { state: "reconnecting", detail: `starts again after: ${error}` };
    logger.error("Channel {name} died, starts again in {delayMs} ms: {error}", {
      name,
      delayMs,
      error,
    });
    this.#context.after(delayMs, { type: "host_due" });
    if (this.#recentFaults < FAULTS_ALARMING) return this.#tellState();
    this.#connection = { state: "failed", detail: `tried again at times after: ${error}` };
    this.#tellState();
    this.#alarm(`Channel ${name} keeps failing and is started again at times: ${error}`);
  }

  #deliver({ replyTo, ...asked }: Extract<ToChannel, { readonly type: "deliver" }>): void {
    this.#askHost<DeliveryOutcome>(
      (host) =>
        host.ask((answer) => ({ ...asked, replyTo: answer }), {
          timeoutMs: DELIVERY_TIMEOUT_MS,
        }),
      (outcome) => {
        const isSent = outcome.state === "ok" && outcome.value.state === "sent";
        if (isSent) this.#noteEvent("message_sent");
        replyTo.reply(outcome.state === "ok" ? outcome.value : unanswered(outcome.error));
      },
      () => replyTo.reply(isDown(asked.delivery)),
    );
  }

  #lookUp(delivery: Delivery, replyTo: ReplyTo<LookUpOutcome>): void {
    this.#askHost<LookUpOutcome>(
      (host) =>
        host.ask((answer) => ({ type: "look_up", delivery, replyTo: answer }), {
          timeoutMs: DELIVERY_TIMEOUT_MS,
        }),
      (outcome) => replyTo.reply(outcome.state === "ok" ? outcome.value : passing(outcome.error)),
      () => replyTo.reply(isDown(delivery)),
    );
  }

  #askHost<T>(
    ask: (host: ActorRef<ToChannel>) => Promise<T>,
    done: (outcome: Outcome<T>) => void,
    isDown: () => void,
  ): void {
    const host = this.#host;
    if (host === undefined) return isDown();
    this.#context.pipe(() => ask(host), (outcome) => {
      done(outcome);
      return { type: "answered" };
    });
  }

  #stop(replyTo: ReplyTo<"stopped">): void {
    this.#isStopping = true;
    this.#options.outbox.tell({ type: "channel_lost" });
    const host = this.#host;
    if (host === undefined) return replyTo.reply("stopped");
    this.#context.pipe(() => this.#close(host), () => {
      this.#connection = { state: "stopped", detail: "stopped" };
      replyTo.reply("stopped");
      return { type: "answered" };
    });
  }

  /** Has its connection closed, as far as that does not take too long. */
  async #close(host: ActorRef<ToChannel>): Promise<void> {
    try {
      await host.ask<"stopped">((replyTo) => ({ type: "stop", replyTo }), {
        timeoutMs: STOP_TIMEOUT_MS,
      });
    } catch (error) {
      const { name } = this.#options;
      const reason = asError(error).message;
      logger.warn("Channel {name} did not close in time: {reason}", { name, reason });
    }
  }

  #report(): ChannelReport {
    return {
      name: this.#options.name,
      state: this.#connection.state,
      detail: this.#connection.detail,
      restarts: this.#restarts,
      stuckThreads: this.#stuckThreads,
      lastError: this.#lastError,
      lastEvent: this.#lastEvent,
    };
  }
}

type Failed = Extract<DeliveryOutcome, { readonly state: "failed" }>;

function isDown({ key }: Delivery): Failed {
  return passing({ message: `Cannot deliver "${key}": the channel is down` });
}

function passing({ message }: { readonly message: string }): Failed {
  return { state: "failed", code: "delivery_transient", message };
}

/** What a delivery without an answer means: only a mailbox that was full surely had no effect. */
function unanswered(error: Error): Failed {
  const hadNoEffect = error instanceof AskError && error.code === "ask_refused";
  return { ...passing(error), code: hadNoEffect ? "delivery_transient" : "delivery_unknown" };
}
