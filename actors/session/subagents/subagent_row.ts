/**
 * The row of a subagent in the journal: its result, which is a draft until the subagent is done. So
 * a result is never lost, comes once, and ends with whatever ends the messages of its session.
 * @module
 */

import { z } from "zod";
import {
  type Inbound,
  type NewInbound,
  subagentInputId,
  SYSTEM_CHANNEL,
  systemSource,
} from "../../journal/journal.ts";
import type { JsonObject } from "../../kernel/json.ts";
import type { SubagentOrder } from "../../tools/tool.ts";

/** What a subagent does. */
export interface SubagentTask extends SubagentOrder {
  readonly id: string;
}

/** Who hands results in. */
const SENDER = "subagent";

const draftSchema = z.object({ label: z.string(), task: z.string() });

/** The row for a task that came of `home`: its result is answered where that was written. */
export function subagentRow({ id, label, task }: SubagentTask, home: Inbound): NewInbound {
  const { sessionKey, chatId, replyChannel, context, wantsStream } = home;
  return {
    ...{ sessionKey, chatId, replyChannel, context, wantsStream },
    channel: SYSTEM_CHANNEL,
    platformId: subagentInputId(id),
    senderId: SENDER,
    content: "",
    media: [],
    draft: { label, task },
  };
}

/** A row whose subagent still works, or did when its process ended. */
export function isUnderWay(inbound: Inbound): boolean {
  return inbound.draft !== null && systemSource(inbound) === "subagent";
}

/** The task of such a row. */
export function taskOf({ platformId, draft }: Inbound): SubagentTask {
  const { label, task } = draftSchema.safeParse(draft).data ?? { label: "task", task: "" };
  return { id: idOf(platformId), label, task };
}

/** Fields of the line that records a subagent's result. */
export function subagentFields(inbound: Inbound): JsonObject {
  if (systemSource(inbound) !== "subagent") return {};
  return { sender_id: SENDER, subagent_task_id: idOf(inbound.platformId) };
}

/** How the steps of a subagent are named where those of turns have the turn's id. */
export function runIdOf(id: string): string {
  return subagentInputId(id);
}

function idOf(platformId: string): string {
  return platformId.slice(subagentInputId("").length);
}
