/**
 * What a turn talks through, once it knows whom it talks with.
 * @module
 */

import type { SystemMessage } from "../../providers/provider.ts";
import { type Inbound, SYSTEM_CHANNEL, systemSource } from "../journal/journal.ts";
import type { ApprovalDesk } from "./approval_desk.ts";
import { CallAudit } from "./call_audit.ts";
import { CallRunner, type SessionReach } from "./call_runner.ts";
import type { Replay } from "./history.ts";
import { placeOf } from "./incoming.ts";
import type { SessionServices } from "./ports.ts";
import { sentFiles } from "./sent_files.ts";
import type { SessionLog } from "./session_log.ts";
import type { SessionMemory } from "./session_memory.ts";
import type { TurnSteps } from "./steps.ts";
import { ToolMessages } from "./tool_messages.ts";
import type { TurnListener } from "./turn_events.ts";

/** It is about the message that began the turn, or with which it goes on. */
export interface Talk {
  readonly home: Inbound;
  readonly system: SystemMessage;
  readonly replay: Replay;
  readonly runner: CallRunner;
  readonly sent: ToolMessages;
}

/** What a talk is opened with. */
export interface TalkOptions {
  readonly services: SessionServices;
  readonly log: SessionLog;
  readonly memory: SessionMemory;
  readonly desk: ApprovalDesk;
  readonly steps: TurnSteps;
  readonly replay: Replay;
  /** The system prompt. @default it is built */
  readonly prompt?: string | undefined;
  readonly reach: SessionReach | undefined;
  readonly listener: TurnListener | undefined;
}

/** Opens it with the first of the turn's inbounds. */
export async function openTalk(
  { services, log, memory, desk, steps, replay, prompt, reach, listener }: TalkOptions,
): Promise<Talk> {
  const home = steps.inbound;
  const { channel, chatId } = placeOf(home);
  const { sessionKey } = home;
  return {
    home,
    replay,
    system: memory.systemMessage(prompt ?? await services.systemPrompt(channel, home)),
    runner: new CallRunner({
      ...{ services, listener, reads: memory.reads, inputs: steps.inputs },
      origin: {
        ...{ channel, chatId, sessionKey },
        senderId: senderOf(home),
        source: systemSource(home),
        context: home.context,
        get sentFiles() {
          return sentFiles(log.conversation); // of who has joined meanwhile, too
        },
      },
      ...(reach !== undefined && { reach }),
      audit: new CallAudit({ services, home, turnId: steps.turnId }),
      refusal: (call, signal) => desk.refusal({ ...call, home }, { log, signal }),
    }),
    sent: new ToolMessages({ log, outbox: services.outbox, inbound: home }),
  };
}

/** What comes from inside has no sender that a person would be. */
function senderOf({ channel, senderId }: Inbound): string | undefined {
  return channel === SYSTEM_CHANNEL ? undefined : senderId;
}
