/**
 * A terminal's line to the assistant: through the gateway that runs, or a small one of its own.
 * @module
 */

import type { LoadedConfig } from "../../actors/config/load_config.ts";
import { connectControl } from "../../actors/gateway/adapters/control_socket.ts";
import { systemWorld } from "../../actors/gateway/adapters/system_world.ts";
import { askDoor, type ControlPeer, openCall } from "../../actors/gateway/control_client.ts";
import { ControlError } from "../../actors/gateway/control_errors.ts";
import { LockedError } from "../../actors/gateway/errors.ts";
import { Gateway } from "../../actors/gateway/gateway.ts";
import { effectiveSessionKey } from "../../actors/gateway/session_key.ts";
import { untoldSubagentsRequest } from "../../actors/gateway/session_requests.ts";
import { asError } from "../../actors/kernel/errors.ts";
import { localServers } from "../../providers/adapters/local_probe.ts";
import type { HandInResult } from "../channel.ts";
import { pause } from "./adapters/process.ts";
import { chatRequest } from "./chat_requests.ts";
import {
  type HandedInEvent,
  type Said,
  TERMINAL_CHANNEL,
  type TerminalEvent,
  type TerminalPlace,
} from "./terminal_events.ts";
import { TerminalHub } from "./terminal_hub.ts";
import { VERSION } from "./version.ts";

/** A gateway that starts has its lock for this long before its door opens. */
const DOOR_WAIT_MS = 15_000;
/** A question waits this long for another one that has the locks. */
const BRIEF_WAIT_MS = 120_000;
const LOOK_AGAIN_MS = 100;

/** What a lock says of a process that answers one question and ends. */
const BRIEF_COMMAND = "agent -m";
const CHAT_COMMAND = "agent";

const HUNG_UP = "Cannot go on: the gateway has hung up";

/** How to open a line. */
export interface ChatLineOptions {
  readonly loaded: LoadedConfig;
  readonly place: TerminalPlace;
  readonly onEvent: (event: TerminalEvent) => void;
  /** One question and its answer, rather than a conversation. */
  readonly isBrief: boolean;
  /** A person types there, and can be asked something back. @default false */
  readonly isAttended?: boolean;
  /** The workspace that a person named on the command line. */
  readonly namedWorkspace: string | null;
  /** Told once, when the line has to wait for another process. */
  readonly onWait: (reason: string) => void;
}

/** An open line; disposing of it hangs up. */
export interface ChatLine extends AsyncDisposable {
  /** `gateway`: what was said goes on when this process ends. */
  readonly via: "gateway" | "own";
  say(said: Said): Promise<HandInResult>;
  /** Subagents of the conversation that work, or whose result waits. @throws {ControlError} */
  subagents(): Promise<number>;
  /** The person has gone without a word: what comes from now on is for the next who comes. */
  leave(): void;
  /** Rejects when the line breaks; never resolves. */
  readonly broken: Promise<never>;
}

/**
 * Opens a line.
 *
 * @throws {LockedError} when a process that has no door for us keeps the locks
 * @throws {StartError} {ControlError}
 */
export async function openChatLine(options: ChatLineOptions): Promise<ChatLine> {
  let waitedMs = 0;
  for (;; waitedMs += LOOK_AGAIN_MS) {
    const peer = await connectControl(options.loaded.locations.stateFolder);
    if (peer !== null) return remoteLine(peer, options);
    try {
      return await ownLine(options);
    } catch (error) {
      const waitMaxMs = error instanceof LockedError ? patience(error, options) : 0;
      if (waitedMs >= waitMaxMs) throw error;
      if (waitedMs === 10 * LOOK_AGAIN_MS) options.onWait(asError(error).message);
    }
    await pause(LOOK_AGAIN_MS);
  }
}

/** How long it makes sense to wait for whoever has the lock. */
function patience({ code, holder }: LockedError, { isBrief }: ChatLineOptions): number {
  if (holder === null) return DOOR_WAIT_MS; // it has just begun to start
  if (holder.command === BRIEF_COMMAND) return isBrief ? BRIEF_WAIT_MS : DOOR_WAIT_MS;
  return code === "state_locked" && holder.command !== CHAT_COMMAND ? DOOR_WAIT_MS : 0;
}

function remoteLine(peer: ControlPeer, options: ChatLineOptions): ChatLine {
  const { place, isBrief, isAttended = false, namedWorkspace: workspace, onEvent } = options;
  const said = new Map<string, PromiseWithResolvers<HandInResult>>();
  const params = { place, wantsMissed: !isBrief, isAttended, workspace };
  const call = openCall(peer, chatRequest, params, (event: TerminalEvent | HandedInEvent) => {
    if (event.type !== "handed_in") return onEvent(event);
    said.get(event.platformId)?.resolve(event.result);
    said.delete(event.platformId);
  });
  const { promise: broken, reject } = Promise.withResolvers<never>();
  // Whoever still waits when the line breaks hears of it there; nobody has to.
  broken.catch(() => {});
  call.result.then(() => reject(new ControlError("control_lost", HUNG_UP)), reject);
  return {
    via: "gateway",
    broken,
    say: (message) => {
      const waiting = Promise.withResolvers<HandInResult>();
      said.set(message.platformId, waiting);
      call.say(message).catch(() => {}); // the broken line tells of it
      return Promise.race([waiting.promise, broken]);
    },
    subagents: async () => {
      const asked = await connectControl(options.loaded.locations.stateFolder);
      if (asked === null) return 0;
      const params = { key: sessionKeyOf(options) };
      return (await askDoor(asked, untoldSubagentsRequest, params, systemWorld().clock)).count;
    },
    leave: () => {}, // the gateway keeps what comes once this line is closed
    [Symbol.asyncDispose]: () => {
      call.close();
      return Promise.resolve();
    },
  };
}

/** The conversation of a place. */
function sessionKeyOf({ loaded, place: { chatId, sessionKey } }: ChatLineOptions): string {
  const { unifiedSession: isUnified } = loaded.config.agents.defaults;
  const override = sessionKey ?? undefined;
  return effectiveSessionKey({ channel: TERMINAL_CHANNEL, chatId, override, isUnified });
}

async function ownLine(options: ChatLineOptions): Promise<ChatLine> {
  const { loaded, place, onEvent, isBrief, isAttended = false } = options;
  const hub = new TerminalHub();
  const gateway = await Gateway.start({
    loaded,
    version: VERSION,
    world: systemWorld(),
    print: () => {},
    localChannels: [hub.local],
    isWhole: false,
    command: isBrief ? BRIEF_COMMAND : CHAT_COMMAND,
    findLocalServers: localServers,
  });
  const link = hub.attach({ place, onEvent, wantsMissed: !isBrief, isAttended });
  return {
    via: "own",
    broken: Promise.withResolvers<never>().promise,
    say: (message) => link.say(message),
    subagents: () => gateway.untoldSubagents(sessionKeyOf(options)),
    leave: () => hub.leave(),
    // The link stays to the end: what comes while turns finish is still shown.
    [Symbol.asyncDispose]: () => gateway[Symbol.asyncDispose](),
  };
}
