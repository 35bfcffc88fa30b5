import assert from "node:assert/strict";
import { join } from "node:path";
import { exists, orNull } from "../../actors/kernel/adapters/missing.ts";
import { GatewayHome, writeConfig } from "../support/gateway_process.ts";
import { PROGRAM } from "../support/troupe_program.ts";
import { until } from "../support/until.ts";
import { lastUserText, ModelServer, say } from "../simulators/model_server.ts";
import { SshServer, WITHOUT_SSH } from "./ssh_server.ts";
import { TmuxTerminal } from "./tmux_terminal.ts";

interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

interface FarTerminal {
  readonly terminal: TmuxTerminal;
  /** Ends the connection without a word; resolves when the terminal there is gone. */
  readonly hangUp: () => Promise<void>;
}

/** A machine that a person reaches by SSH, where the program is installed. */
class FarMachine implements AsyncDisposable {
  readonly home: GatewayHome;
  readonly #server: SshServer;

  private constructor(home: GatewayHome, server: SshServer) {
    this.home = home;
    this.#server = server;
  }

  static async start(model: ModelServer): Promise<FarMachine> {
    const home = await GatewayHome.make();
    await writeConfig(home, { model });
    const machine = new FarMachine(home, await SshServer.start());
    await Deno.writeTextFile(machine.#program, machine.#script(), { mode: 0o700 });
    return machine;
  }

  /** A command in a terminal that is elsewhere, once it shows its greeting. */
  async terminal(args: string, greeting: string): Promise<FarTerminal> {
    const pidFile = join(this.home.path, "client");
    const client = this.#server.command(["-tt"], `${this.#program} ${args}`);
    await using starting = new AsyncDisposableStack();
    const terminal = starting.use(
      await TmuxTerminal.start({
        command: ["sh", "-c", 'echo $$ >"$0"; exec "$@"', pidFile, ...client],
        env: {},
        columns: 60,
      }),
    );
    await terminal.shows("the greeting", has(greeting));
    const far = (await Deno.readTextFile(this.#terminalFile)).trim();
    const hangUp = async () => {
      Deno.kill(Number(await Deno.readTextFile(pidFile)), "SIGKILL");
      await until(async () => !await exists(far), { what: "the end of the terminal there" });
    };
    starting.move();
    return { terminal, hangUp };
  }

  /** A command, what is typed or piped into it, and all that comes of it. */
  async run(args: string, { input, flags, term }: {
    readonly input: string;
    readonly flags: readonly string[];
    readonly term: string;
  }): Promise<Ended> {
    const [ssh = "", ...words] = this.#server.command(flags, `${this.#program} ${args}`);
    const child = new Deno.Command(ssh, {
      args: words,
      env: { TERM: term },
      ...{ stdin: "piped", stdout: "piped", stderr: "piped" },
    }).spawn();
    const writer = child.stdin.getWriter();
    await writer.write(new TextEncoder().encode(input));
    await writer.close();
    const { code, stdout, stderr } = await child.output();
    const decode = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
    return { code, stdout: decode(stdout), stderr: decode(stderr) };
  }

  /** Waits for the end of the program that was started last, wherever its terminal is. */
  async programEnds(): Promise<void> {
    const arguments_ = `/proc/${(await Deno.readTextFile(this.#pidFile)).trim()}/cmdline`;
    // A process that has ended has none, even before somebody asks for its exit code.
    await until(async () => (await orNull(Deno.readTextFile(arguments_)) ?? "") === "", {
      what: "the end of the program",
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#server[Symbol.asyncDispose]();
    await this.home[Symbol.asyncDispose]();
  }

  get #program(): string {
    return join(this.home.path, "troupe");
  }

  get #terminalFile(): string {
    return join(this.home.path, "terminal");
  }

  get #pidFile(): string {
    return join(this.home.path, "pid");
  }

  /** Becomes the program, as what `ssh` runs does. */
  #script(): string {
    const { DENO_DIR } = Deno.env.toObject();
    return [
      "#!/bin/sh",
      `echo $$ >'${this.#pidFile}'; tty >'${this.#terminalFile}'`,
      ...DENO_DIR === undefined ? [] : [`export DENO_DIR='${DENO_DIR}'`],
      `export TROUPE_HOME='${this.home.path}' NO_COLOR=1`,
      `exec ${PROGRAM.map((word) => `'${word}'`).join(" ")} "$@"`,
      "",
    ].join("\n");
  }
}

function has(text: string | RegExp): (lines: string[]) => boolean {
  return (lines) =>
    lines.some((line) => typeof text === "string" ? line.includes(text) : text.test(line));
}

/** Says in its name why it is left out. */
function test(name: string, fn: (machine: FarMachine, model: ModelServer) => Promise<void>): void {
  const note = WITHOUT_SSH === undefined ? "" : ` [skipped: ${WITHOUT_SSH}]`;
  Deno.test({
    name: `${name}${note}`,
    ignore: WITHOUT_SSH !== undefined,
    fn: async () => {
      await using model = await ModelServer.start();
      await using machine = await FarMachine.start(model);
      await fn(machine, model);
    },
  });
}

test(
  "A conversation over SSH streams, takes pastes, follows the window, and stops at Ctrl-C",
  async (machine, model) => {
    model.push(
      {
        steps: [
          { type: "text", text: "你好\nI" },
          { type: "pause", until: "go" },
          { type: "text", text: " end" },
        ],
      },
      say("second answer"),
      say("third answer"),
      { steps: [{ type: "text", text: "I begin\nand" }, { type: "stall" }] },
      say("fresh answer"),
    );
    const { terminal: chat } = await machine.terminal("agent", "/help");
    await using _chat = chat;
    await chat.enter("héllo 世界");
    await chat.shows("the first line while the answer grows", has("你好"));
    model.release("go");
    await chat.shows("the whole answer", has("I end"));

    await chat.paste("one\ntwo 世界\nthree");
    await chat.shows("the text on one line", has("> one⏎two 世界⏎three"));
    await chat.resize(30, 20);
    await chat.type(" the quick brown fox jumps");
    await chat.shows("the line, longer than the window", has(/three the quick brown fox jumps$/));
    await chat.press("Enter");
    await chat.shows("the second answer", has("second answer"));
    assert.match(
      lastUserText(await model.request(1)),
      /one\ntwo 世界\nthree the quick brown fox jumps$/,
    );
    await chat.press("Up", "Up");
    await chat.shows("what was said first", has(/> héllo 世界$/));
    await chat.press("Enter");
    await chat.shows("the third answer", has("third answer"));
    assert.match(lastUserText(await model.request(2)), /héllo 世界$/);

    await chat.enter("count");
    await chat.shows("the first line", has("I begin"));
    await chat.press("C-c");
    await chat.shows("that it stopped", has(/^stopped/i));
    await chat.enter("and now?");
    await chat.shows("the next answer", has("fresh answer"));
    await chat.press("C-c");
    assert.equal(await chat.exitCode(), 0, "a second one leaves");
  },
);

test(
  "A connection that is cut ends the conversation in order, and nothing of it is lost",
  async (machine, model) => {
    model.push(
      {
        steps: [
          { type: "text", text: "I begin\nand" },
          { type: "pause", until: "go" },
          { type: "text", text: " end" },
        ],
      },
      say("good to see you again"),
    );
    {
      const { terminal: chat, hangUp } = await machine.terminal("agent", "/help");
      await using _chat = chat;
      await chat.enter("take your time");
      await chat.shows("the first line", has("I begin"));
      await hangUp();
      assert.equal(await chat.exitCode(), 137);
      model.release("go");
      await machine.programEnds();
    }
    const told = ["user: take your time", "assistant: I begin\nand end"];
    assert.deepEqual(await machine.home.transcript("cli_direct"), told);
    // Whoever comes next, here without a terminal, sees what nobody saw.
    assert.deepEqual(
      await machine.run("agent", { input: "are you there?\n", flags: ["-T"], term: "dumb" }),
      {
        code: 0,
        stdout: "I begin\nand end\ngood to see you again\n",
        stderr: "",
      },
    );
    assert.equal((await machine.home.transcript("cli_direct")).length, 4);
  },
);

test("A gateway whose terminal has gone stops in order", async (machine) => {
  const { terminal, hangUp } = await machine.terminal("gateway", "Ready");
  await using _terminal = terminal;
  await hangUp();
  await machine.programEnds();
  assert.ok(!await exists(join(machine.home.path, "state", "control.sock")), "it shut its door");
});

test("A dumb terminal over SSH gets no control sequence", async (machine, model) => {
  model.push(say("**as** it is"));
  const input = "你好\nexit\n";
  const { code, stdout } = await machine.run("agent", { input, flags: ["-tt"], term: "dumb" });
  assert.equal(code, 0);
  // Before the first line it is Deno itself that shows how far it is.
  const shown = stdout.slice(stdout.indexOf("Troupe "));
  assert.match(shown, /\*\*as\*\* it is\r\n/);
  assert.ok(!shown.includes("\x1b"), "no escape");
  assert.match(lastUserText(await model.request(0)), /你好$/);
});
