/**
 * What the actor of a channel is told, and what it tells of the channel.
 * @module
 */

import type { ConnectionState } from "../../channels/channel.ts";
import type { FromChannel, ToChannel } from "../../channels/host_protocol.ts";
import type { ActorDefinition, StopReason } from "../kernel/actor.ts";
import type { ActorRef, ReplyTo } from "../kernel/ref.ts";
import type { WorkerNotice } from "../kernel/worker_notice.ts";

/** How a channel is. `failed`: it will not come back by itself. */
export interface ChannelReport {
  readonly name: string;
  readonly state: ConnectionState["state"];
  readonly detail: string;
  readonly restarts: number;
  /** Threads of Workers that would not end; each may use a core until the gateway restarts. */
  readonly stuckThreads: number;
  readonly lastError: string | null;
  /** Null until something happened. */
  readonly lastEvent: ChannelEvent | null;
}

/** What last passed between a channel and its platform. */
export interface ChannelEvent {
  readonly what: "message_received" | "message_sent" | "connection_changed";
  /** Epoch milliseconds. */
  readonly atMs: number;
}

/** What the gateway tells a channel's actor. */
export type ChannelControl =
  /** Carried to the channel itself; without one, `deliver` and `look_up` are answered at once. */
  | Exclude<ToChannel, { readonly type: "stop" }>
  | { readonly type: "report_channel"; readonly replyTo: ReplyTo<ChannelReport> }
  /** Close the connection, and begin anew with other settings. */
  | {
    readonly type: "change_host";
    readonly startHost: StartHost;
    readonly replyTo: ReplyTo<"changed">;
  }
  /** Take nothing more in; deliveries go on. */
  | { readonly type: "stop_intake" }
  /** Close the connection, for good. */
  | { readonly type: "stop_channel"; readonly replyTo: ReplyTo<"stopped"> };

/** What it tells itself. */
type Internal =
  | {
    readonly type: "host_stopped";
    readonly host: ActorRef<ToChannel>;
    readonly reason: StopReason;
  }
  /** The connection of earlier settings is closed. */
  | { readonly type: "host_left"; readonly replyTo: ReplyTo<"changed"> }
  | { readonly type: "host_due" }
  | { readonly type: "answered" };

/** All that a channel's actor understands. */
export type ChannelActorMessage = ChannelControl | FromChannel | WorkerNotice | Internal;

/**
 * Starts the channel itself as a child, in a Worker or in this process. It must not restart by
 * itself: its actor decides.
 */
export type StartHost = (
  spawn: <M>(definition: ActorDefinition<M>) => ActorRef<M>,
  gateway: ActorRef<FromChannel | WorkerNotice>,
) => ActorRef<ToChannel>;
