import assert from "node:assert/strict";
import { join } from "node:path";
import { GatewayHome } from "../support/gateway_process.ts";
import { PROGRAM } from "../support/troupe_program.ts";
import { FeishuPlatform } from "../simulators/feishu_server.ts";
import { ModelServer, say } from "../simulators/model_server.ts";
import { until } from "../support/until.ts";
import { TmuxTerminal } from "./tmux_terminal.ts";

/** Keys of the machine that the test runs on are nobody's to be offered. */
const NO_VARIABLES = ["env", "-i"];

function start(home: GatewayHome, ...args: readonly string[]): Promise<TmuxTerminal> {
  const { PATH = "", HOME = "", DENO_DIR } = Deno.env.toObject();
  const variables = {
    PATH,
    HOME,
    TERM: "xterm-256color",
    LC_ALL: "C.UTF-8",
    TROUPE_HOME: home.path,
    ...(DENO_DIR !== undefined && { DENO_DIR }),
  };
  return TmuxTerminal.start({
    command: [
      ...NO_VARIABLES,
      ...Object.entries(variables).map(([name, value]) => `${name}=${value}`),
      ...[...PROGRAM, ...args],
    ],
    env: {},
  });
}

function has(text: string | RegExp): (lines: string[]) => boolean {
  return (lines) =>
    lines.some((line) => typeof text === "string" ? line.includes(text) : text.test(line));
}

/** Answers the questions about a server with an address of its own. */
async function answerServer(terminal: TmuxTerminal, model: ModelServer): Promise<void> {
  const lines = await terminal.shows("the providers", has("Which one? [1]"));
  const server = lines.findLast((line) => line.includes("a server with an address"));
  await terminal.enter(/\d+/.exec(server ?? "")?.[0] ?? "");
  await terminal.shows("the address", has("Its address"));
  await terminal.enter(model.baseUrl);
  await terminal.shows("the key", has("Its key"));
  await terminal.enter("sk-newcomer-secret");
  await terminal.shows("the model", has("Name of the model"));
  await terminal.enter("test-model");
  await terminal.shows("the trial", has(/✓ Custom at .*"test-model" answered/));
}

async function skipChannel(terminal: TmuxTerminal): Promise<void> {
  await terminal.shows("the channels", has(/\d +telegram/));
  await terminal.press("Enter");
}

/** Sets Feishu up against a platform, and writes to the bot when that is asked for. */
async function setUpFeishu(terminal: TmuxTerminal, platform: FeishuPlatform): Promise<void> {
  const lines = await terminal.shows("the channels", has(/\d +feishu$/));
  await terminal.enter(/\d+/.exec(lines.find((line) => line.endsWith("feishu")) ?? "")?.[0] ?? "");
  await terminal.shows("the app", has("App ID"));
  await terminal.enter(platform.app.appId);
  await terminal.shows("the secret", has("App Secret"));
  await terminal.enter(platform.app.appSecret);
  await terminal.shows("the invitation", has("Write something to the bot now"));
  platform.userSays({ text: "is anybody there?" });
  await terminal.shows("who wrote", has("ou_alice may not write to the bot yet. Allow it? [Y/n]"));
  await terminal.press("Enter");
}

Deno.test("A newcomer sets everything up, talks, runs the gateway and looks how it is", async () => {
  await using home = await GatewayHome.make();
  await using model = await ModelServer.start([
    say("ok"),
    say("# Hello\n\nI am **your** assistant: 你好"),
    say("Yes, I am"),
    say("Nice to meet you too"),
    say("ok"),
  ]);
  await using platform = await FeishuPlatform.start({
    redelivery: { acknowledgeWithinMs: 500, delaysMs: Array.from({ length: 120 }, () => 500) },
  });
  {
    await using terminal = await start(home, "onboard", "--domain", platform.url);
    await answerServer(terminal, model);
    await setUpFeishu(terminal, platform);
    await terminal.shows("the offer to say hello", has("Say hello to the assistant now?"));
    await terminal.press("Enter");
    const lines = await terminal.shows("what comes next", has(/ gateway +run it for all chats/));
    assert.ok(has("I am your assistant: 你好")(lines), "the answer, as Markdown");
    assert.ok(has("✓ long connection: connected")(lines), "the platform was tried");
    const secrets = ["sk-newcomer-secret", platform.app.appSecret];
    assert.ok(!secrets.some((secret) => has(secret)(lines)), "no secret is shown");
    assert.equal(await terminal.exitCode(), 0);
  }
  const configFile = join(home.path, "config.json");
  const config = JSON.parse(await Deno.readTextFile(configFile));
  assert.equal(config.providers.custom.apiKey, "sk-newcomer-secret");
  assert.equal(((await Deno.stat(configFile)).mode ?? 0) & 0o777, 0o600);
  await Deno.writeTextFile(configFile, JSON.stringify({ ...config, gateway: { port: 0 } }));

  await using gateway = await start(home, "gateway");
  await gateway.shows("a gateway that is ready", has(/^Ready$/));
  // What the first message was, the bot has not taken: it comes again, and is answered.
  const answers = () => platform.chat("ou_alice").fromBot.map(({ text }) => text);
  await until(() => answers().includes("Yes, I am"), { what: "the answer in Feishu" });
  {
    await using chat = await start(home, "agent");
    await chat.shows("the greeting", has("through the running gateway"));
    await chat.enter("nice to meet you");
    await chat.shows("the first answer", has("Nice to meet you too"));
    await chat.enter("exit");
    assert.equal(await chat.exitCode(), 0);
  }
  {
    await using status = await start(home, "status");
    const lines = await status.shows("how it is", has("Gateway: running, ok"));
    assert.ok(has("Model: test-model by Custom")(lines));
  }
  {
    await using again = await start(home, "onboard", "--yes");
    await again.shows("what becomes of a change", has("takes this over by itself"));
    assert.equal(await again.exitCode(), 0);
  }
  await gateway.press("C-c");
  assert.equal(await gateway.exitCode(), 0);
  {
    await using doctor = await start(home, "doctor", "--config", configFile);
    const lines = await doctor.shows("the end", has(/^\d+ faults?, \d+ warnings?\.$/));
    assert.ok(has('✓ Model: "test-model" answered')(lines), lines.join("\n"));
    assert.ok(has("✓ Tools: ")(lines), "denials were tried");
    assert.ok(has(/✓ Channels: feishu: .*bot/)(lines), lines.join("\n"));
    assert.deepEqual(lines.filter((line) => /✗|sk-newcomer-secret/.test(line)), []);
    assert.equal(await doctor.exitCode(), 0);
  }
});

Deno.test("The first agent at a terminal offers the set-up, and goes on to the conversation", async () => {
  await using home = await GatewayHome.make();
  await using model = await ModelServer.start([say("ok"), say("here I am")]);
  await using terminal = await start(home, "agent");
  await terminal.shows("the offer", has("Set a model and a chat up now?"));
  await terminal.press("Enter");
  await answerServer(terminal, model);
  await skipChannel(terminal);
  await terminal.shows("the greeting", has("/help lists commands"));
  await terminal.enter("are you there?");
  await terminal.shows("the answer", has("here I am"));
  await terminal.press("C-d");
  assert.equal(await terminal.exitCode(), 0);
});

Deno.test("Ctrl-C in the middle of the set-up leaves, and nothing was written", async () => {
  await using home = await GatewayHome.make();
  await using terminal = await start(home, "gateway");
  await terminal.shows("the offer", has("Set a model and a chat up now?"));
  await terminal.enter("y");
  await terminal.shows("the providers", has("Which one? [1]"));
  await terminal.press("C-c");
  assert.equal(await terminal.exitCode(), 130);
  assert.deepEqual(await Array.fromAsync(Deno.readDir(home.path)), []);
});
