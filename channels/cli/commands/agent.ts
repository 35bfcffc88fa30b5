/**
 * `agent`: one question and its answer, or a conversation in the terminal.
 * @module
 */

import { systemWorld } from "../../../actors/gateway/adapters/system_world.ts";
import type { LocalChannel } from "../../../actors/gateway/channel_wiring.ts";
import { Gateway } from "../../../actors/gateway/gateway.ts";
import type { LoadedConfig } from "../../../actors/config/load_config.ts";
import type { Settled } from "../../channel.ts";
import { readLines } from "../adapters/line_input.ts";
import type { Terminal } from "../adapters/terminal.ts";
import { loadAndPrepare, type LoadFlags } from "../load.ts";
import { TERMINAL_CHANNEL, TERMINAL_CHAT, TerminalChannel } from "../terminal_channel.ts";
import { VERSION } from "../version.ts";

/** Flags of the command. */
export interface AgentFlags extends LoadFlags {
  readonly message?: string | undefined;
  readonly session?: string | undefined;
  readonly logs?: boolean | undefined;
}

const FAREWELLS = new Set(["exit", "quit", "/exit", "/quit", ":q"]);

/** Answers `--message`, or chats until the person leaves; resolves with the exit code. */
export async function agentCommand(flags: AgentFlags, terminal: Terminal): Promise<number> {
  const loaded = await loadAndPrepare(flags, terminal, { logs: flags.logs ?? false });
  const sessionKey = terminalSessionKey(flags.session);
  const { message } = flags;
  return message === undefined
    ? await chat(loaded, sessionKey, terminal)
    : await askOnce(loaded, sessionKey, message, terminal);
}

/** `x` means `cli:x`; a key with a channel in it is taken as it is. */
export function terminalSessionKey(session: string | undefined): string {
  if (session === undefined) return `${TERMINAL_CHANNEL}:${TERMINAL_CHAT}`;
  return session.includes(":") ? session : `${TERMINAL_CHANNEL}:${session}`;
}

async function askOnce(
  loaded: LoadedConfig,
  sessionKey: string,
  message: string,
  terminal: Terminal,
): Promise<number> {
  const { promise: settled, resolve: onSettled } = Promise.withResolvers<Settled>();
  const line = new ChannelLine((context) =>
    new TerminalChannel(context, {
      write: terminal.write,
      isLive: terminal.isInteractive,
      onSettled,
    })
  );
  await using _gateway = await startErrand(loaded, line.local);
  const platformId = crypto.randomUUID();
  const result = await (await line.channel).say(platformId, message, sessionKey);
  if (result === "refused") {
    terminal.writeError("Cannot take the message: the journal could not keep it\n");
    return 1;
  }
  const { outcome } = await settled;
  return outcome === "failed" ? 1 : 0;
}

async function chat(
  loaded: LoadedConfig,
  sessionKey: string,
  terminal: Terminal,
): Promise<number> {
  const input = readLines({ prompt: "> " });
  const unanswered = new Unanswered();
  const line = new ChannelLine((context) =>
    new TerminalChannel(context, {
      write: input.writeAbove,
      isLive: false,
      onSettled: ({ platformId }) => unanswered.delete(platformId),
      onShown: input.redraw,
    })
  );
  await using _gateway = await startErrand(loaded, line.local);
  const channel = await line.channel;
  terminal.write(`Troupe ${VERSION}. /help lists commands, exit leaves.\n`);
  for await (const typed of input.lines) {
    const text = typed.trim();
    if (FAREWELLS.has(text.toLowerCase())) break;
    if (text === "") continue;
    const platformId = crypto.randomUUID();
    unanswered.add(platformId);
    if (await channel.say(platformId, text, sessionKey) !== "refused") continue;
    unanswered.delete(platformId);
    terminal.writeError("Cannot take the message: try again\n");
  }
  if (!input.isTyped) await unanswered.none();
  input.close();
  return 0;
}

/** Messages that were handed in and have no answer yet. */
class Unanswered {
  readonly #platformIds = new Set<string>();
  #onNone: PromiseWithResolvers<void> | undefined;

  add(platformId: string): void {
    this.#platformIds.add(platformId);
  }

  delete(platformId: string): void {
    this.#platformIds.delete(platformId);
    if (this.#platformIds.size === 0) this.#onNone?.resolve();
  }

  /** Resolves when all have their answer. */
  async none(): Promise<void> {
    if (this.#platformIds.size === 0) return;
    this.#onNone = Promise.withResolvers<void>();
    await this.#onNone.promise;
  }
}

/** Carries the channel out of the actor that makes it. */
class ChannelLine {
  readonly channel: Promise<TerminalChannel>;
  readonly local: LocalChannel;

  constructor(
    create: (context: ConstructorParameters<typeof TerminalChannel>[0]) => TerminalChannel,
  ) {
    const { promise, resolve } = Promise.withResolvers<TerminalChannel>();
    this.channel = promise;
    this.local = {
      name: TERMINAL_CHANNEL,
      create: (context) => {
        const channel = create(context);
        resolve(channel);
        return channel;
      },
    };
  }
}

function startErrand(loaded: LoadedConfig, channel: LocalChannel): Promise<Gateway> {
  return Gateway.start({
    loaded,
    version: VERSION,
    world: systemWorld(),
    print: () => {},
    localChannels: [channel],
    isWhole: false,
  });
}
