/**
 * Faults that can be planted into a part of the gateway, to see whether the laws notice.
 * @module
 */

import type { Journal } from "../../actors/journal/journal.ts";
import type { ActorRef } from "../../actors/kernel/ref.ts";
import type { GateMessage, OutboxMessage, SessionFiles } from "../../actors/session/ports.ts";
import type { Channel } from "../../channels/channel.ts";
import type { ToolRunner } from "../../actors/tools/tool.ts";
import type { Provider } from "../../providers/provider.ts";

/** Each one wraps a part before the others get it; none does nothing. */
export interface Sabotage {
  readonly journal?: (journal: Journal) => Journal;
  readonly files?: (files: SessionFiles) => SessionFiles;
  readonly provider?: (provider: Provider) => Provider;
  readonly tools?: (tools: ToolRunner) => ToolRunner;
  readonly channel?: (channel: Channel) => Channel;
  readonly gate?: (gate: ActorRef<GateMessage>) => ActorRef<GateMessage>;
  readonly outbox?: (outbox: ActorRef<OutboxMessage>) => ActorRef<OutboxMessage>;
  readonly permitsMax?: (permitsMax: number) => number;
}
