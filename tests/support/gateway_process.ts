/**
 * The real gateway as a process, in a home of its own, against simulators on this machine.
 * @module
 */

import { join } from "node:path";
import { z } from "zod";
import type { JsonObject } from "../../actors/kernel/json.ts";
import type { FeishuPlatform } from "../simulators/feishu_server.ts";
import type { ModelServer } from "../simulators/model_server.ts";
import { replayHome } from "./replays.ts";
import { PROGRAM } from "./troupe_program.ts";
import { until } from "./until.ts";

/** A loaded machine may need this long to start a process. */
const START_MS = 90_000;

/** What a gateway is run with. */
export interface GatewayProcessOptions {
  readonly model?: ModelServer;
  readonly feishu?: FeishuPlatform;
  /** Merged over `channels.feishu`. */
  readonly feishuSection?: JsonObject;
  /** Merged over `agents.defaults`. */
  readonly defaults?: JsonObject;
  /** Merged over the whole config. */
  readonly config?: JsonObject;
  /** @default a new one, removed at the end */
  readonly home?: string;
  /** The words that start the program. @default this Deno, on the sources */
  readonly program?: readonly string[];
  /** The command, with its flags. @default ["gateway"] */
  readonly command?: readonly string[];
}

const line = z.string();

/** A home folder for gateways, removed when it is disposed. */
export class GatewayHome implements AsyncDisposable {
  readonly path: string;
  #isKept = false;
  #isReplayed = true;

  private constructor(path: string) {
    this.path = path;
  }

  static async make(): Promise<GatewayHome> {
    return new GatewayHome(await Deno.realPath(await Deno.makeTempDir({ prefix: "troupe-e2e-" })));
  }

  get workspace(): string {
    return join(this.path, "workspace");
  }

  /** A session's file, line by line; empty where there is none. */
  async session(stem: string): Promise<JsonObject[]> {
    try {
      const text = await Deno.readTextFile(join(this.workspace, "sessions", `${stem}.jsonl`));
      return text.split("\n").filter(Boolean).map((json) => record.parse(JSON.parse(json)));
    } catch (error) {
      if (error instanceof Deno.errors.NotFound) return [];
      throw error;
    }
  }

  /** The messages of a session as `role: content`, calls and results named. */
  async transcript(stem: string): Promise<string[]> {
    const lines = await this.session(stem);
    return lines.filter(({ _type: type }) => type === undefined).map((message) => {
      const { role, content, tool_calls: calls } = message;
      const named = Array.isArray(calls) ? ` +${calls.length} call(s)` : "";
      return `${role}: ${typeof content === "string" ? content : ""}${named}`;
    });
  }

  /** Leaves the folder on disk, for somebody to look into. */
  keep(): void {
    this.#isKept = true;
  }

  /** Nothing is replayed: the test changes conversations, or the journal, by hand. */
  withoutReplay(): void {
    this.#isReplayed = false;
  }

  /** Every test is a replay, too: what was said in its sessions comes out the same once more. */
  async [Symbol.asyncDispose](): Promise<void> {
    try {
      if (this.#isReplayed) await replayHome(join(this.path, "state"), this.workspace);
    } catch (error) {
      this.keep();
      throw new Error(`A replay differs; its home is kept: ${this.path}`, { cause: error });
    } finally {
      if (!this.#isKept) await Deno.remove(this.path, { recursive: true });
    }
  }
}

const record: z.ZodType<JsonObject> = z.record(z.string(), z.json());
const channelStates = z.object({
  channels: z.record(z.string(), z.object({ state: z.string() })),
});

/** A gateway process that has said that it is ready. */
export class GatewayProcess implements AsyncDisposable {
  readonly #child: Deno.ChildProcess;
  readonly #output: string[];
  readonly #reading: Promise<unknown>;
  #hasEnded = false;

  /** Writes the config into `home` and starts the gateway there. */
  static async start(home: GatewayHome, options: GatewayProcessOptions): Promise<GatewayProcess> {
    await Deno.writeTextFile(join(home.path, "config.json"), JSON.stringify(configFor(options)));
    const running = new GatewayProcess(home.path, options);
    await until(() => running.output.includes("Ready\n") || running.#hasEnded, {
      timeoutMs: START_MS,
      what: "the gateway's start",
    });
    if (running.#hasEnded) throw new Error(`The gateway ended:\n${running.output}`);
    return running;
  }

  private constructor(
    home: string,
    { program, command = ["gateway"] }: GatewayProcessOptions,
  ) {
    this.#child = troupeProcess(command, home, program).spawn();
    this.#output = [];
    const collect = async (stream: ReadableStream<Uint8Array>) => {
      for await (const text of stream.pipeThrough(new TextDecoderStream())) {
        this.#output.push(line.parse(text));
      }
    };
    this.#reading = Promise.all([collect(this.#child.stdout), collect(this.#child.stderr)]);
    this.#child.status.then(() => this.#hasEnded = true);
  }

  get pid(): number {
    return this.#child.pid;
  }

  /** All it has written, both streams. */
  get output(): string {
    return this.#output.join("");
  }

  /** The line about tools, which comes once the shell was tried; no start waits for that. */
  async toolsLine(): Promise<string> {
    const line = () => /^Tools: .*(?=\n)/m.exec(this.output)?.[0];
    await until(() => line() !== undefined, { timeoutMs: START_MS, what: "the line about tools" });
    return line() ?? "";
  }

  /** What `GET /health` answers. */
  async health(): Promise<JsonObject> {
    const url = /^Health: (\S+)$/m.exec(this.output)?.[1];
    if (url === undefined) throw new Error(`No health line in:\n${this.output}`);
    const response = await fetch(url);
    return record.parse(await response.json());
  }

  /** What the health says of a channel's state. */
  async channelState(name: string): Promise<string | undefined> {
    return channelStates.parse(await this.health()).channels[name]?.state;
  }

  /** Ends it as a power cut would. */
  async kill(): Promise<void> {
    this.#child.kill("SIGKILL");
    await this.#ended();
  }

  /** Asks it to stop and gives its exit code. */
  async stop(signal: Deno.Signal = "SIGTERM"): Promise<number> {
    this.#child.kill(signal);
    return (await this.#ended()).code;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (!this.#hasEnded) await this.kill();
    await this.#reading;
  }

  async #ended(): Promise<Deno.CommandStatus> {
    const status = await this.#child.status;
    await this.#reading;
    this.#hasEnded = true;
    return status;
  }
}

/** Runs one command to its end. */
export async function runTroupe(
  args: readonly string[],
  home: string,
  program?: readonly string[],
): Promise<{ readonly code: number; readonly stdout: string; readonly stderr: string }> {
  const { code, stdout, stderr } = await troupeProcess(args, home, program).output();
  const decode = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
  return { code, stdout: decode(stdout), stderr: decode(stderr) };
}

/** Writes a config for the options into a home. */
export async function writeConfig(
  home: GatewayHome,
  options: GatewayProcessOptions,
): Promise<void> {
  await Deno.writeTextFile(join(home.path, "config.json"), JSON.stringify(configFor(options)));
}

function troupeProcess(
  args: readonly string[],
  home: string,
  [command = Deno.execPath(), ...words]: readonly string[] = PROGRAM,
): Deno.Command {
  return new Deno.Command(command, {
    args: [...words, ...args],
    env: { TROUPE_HOME: home, NO_COLOR: "1" },
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
  });
}

/** The config for these options. */
export function configFor(
  { model, feishu, feishuSection = {}, defaults = {}, config = {} }: GatewayProcessOptions,
): JsonObject {
  const providers: JsonObject = model === undefined
    ? {} // as before anybody set a model up
    : { custom: { apiKey: "sk-test-0123456789abcdef", apiBase: model.baseUrl } };
  const provider: JsonObject = model === undefined ? {} : { provider: "custom" };
  const channels: JsonObject = feishu === undefined ? {} : {
    feishu: {
      enabled: true,
      appId: feishu.app.appId,
      appSecret: feishu.app.appSecret,
      domain: feishu.url,
      allowFrom: ["*"],
      ...feishuSection,
    },
  };
  return {
    agents: { defaults: { model: "test-model", ...provider, ...defaults } },
    providers,
    channels,
    gateway: { port: 0 },
    ...config,
  };
}
