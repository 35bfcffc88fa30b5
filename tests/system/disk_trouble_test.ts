import assert from "node:assert/strict";
import { join } from "node:path";
import { GatewayHome, GatewayProcess } from "../support/gateway_process.ts";
import { until } from "../support/until.ts";
import { FeishuPlatform } from "../simulators/feishu_server.ts";
import { lastUserText, ModelServer, say } from "../simulators/model_server.ts";
import { ImageDisk, MAY_MOUNT, MAY_MOUNT_IMAGES, MemoryDisk } from "./small_disk.ts";

const TOLD_MS = 40_000;

/** A gateway, and what one sees of it from outside. */
class Stage implements AsyncDisposable {
  readonly platform: FeishuPlatform;
  readonly model: ModelServer;
  readonly #home: GatewayHome;
  #gateway: GatewayProcess;

  private constructor(
    home: GatewayHome,
    platform: FeishuPlatform,
    model: ModelServer,
    gateway: GatewayProcess,
  ) {
    this.#home = home;
    this.platform = platform;
    this.model = model;
    this.#gateway = gateway;
  }

  static async open(home: GatewayHome): Promise<Stage> {
    const platform = await FeishuPlatform.start({
      redelivery: { acknowledgeWithinMs: 500, delaysMs: Array.from({ length: 80 }, () => 500) },
    });
    const model = await ModelServer.start((request) =>
      say("echo ", lastUserText(request).split("\n").at(-1) ?? "")
    );
    const stage = new Stage(home, platform, model, await Stage.#start(home, platform, model));
    await platform.connected({ timeoutMs: 30_000 });
    return stage;
  }

  static #start(home: GatewayHome, platform: FeishuPlatform, model: ModelServer) {
    const config = { owners: ["feishu:ou_boss"] };
    return GatewayProcess.start(home, { model, feishu: platform, config });
  }

  /** What the owner was told about the disk. */
  get alarms(): readonly string[] {
    return this.#texts("ou_boss").filter((text) => text.includes("no messages could be accepted"));
  }

  async answered(text: string): Promise<void> {
    await until(() => this.#texts("ou_alice").includes(`echo ${text}`), {
      timeoutMs: TOLD_MS,
      what: `the answer to "${text}"`,
    });
  }

  /** Each text was answered once, in this order. */
  checkAnswers(...texts: readonly string[]): void {
    const echoes = this.#texts("ou_alice").filter((text) => text.startsWith("echo"));
    assert.deepEqual(echoes, texts.map((text) => `echo ${text}`));
  }

  async has(status: "ok" | "degraded"): Promise<void> {
    await until(async () => (await this.#gateway.health())["status"] === status, {
      timeoutMs: TOLD_MS,
      what: `health "${status}"`,
    });
  }

  /** Why it is degraded. */
  async reason(): Promise<string> {
    return String((await this.#gateway.health())["reason"]);
  }

  async stop(): Promise<number> {
    return await this.#gateway.stop();
  }

  async kill(): Promise<void> {
    await this.#gateway.kill();
  }

  async startAgain(): Promise<void> {
    this.#gateway = await Stage.#start(this.#home, this.platform, this.model);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#gateway[Symbol.asyncDispose]();
    await this.model[Symbol.asyncDispose]();
    await this.platform[Symbol.asyncDispose]();
  }

  #texts(openId: string): readonly string[] {
    return this.platform.chat(openId).fromBot.map(({ text }) => text);
  }
}

/** Trouble that comes and goes: no message is lost, and nobody has to start anything again. */
async function survives(
  home: GatewayHome,
  trouble: { readonly begin: () => Promise<void>; readonly end: () => Promise<void> },
): Promise<void> {
  await using stage = await Stage.open(home);
  stage.platform.userSays({ text: "hello", openId: "ou_boss" });
  stage.platform.userSays({ text: "before" });
  await stage.answered("before");

  await trouble.begin();
  const said = stage.platform.userSays({ text: "meanwhile" });
  await stage.has("degraded");
  assert.equal(stage.platform.events.at(-1)?.isAcknowledged, false);

  await trouble.end();
  await said.acknowledged;
  await stage.answered("meanwhile");
  await stage.has("ok");
  await until(() => stage.alarms.length > 0, { timeoutMs: TOLD_MS, what: "word to the owner" });
  stage.platform.userSays({ text: "after" });
  await stage.answered("after");
  stage.checkAnswers("before", "meanwhile", "after");
  assert.equal(stage.alarms.length, 1, "the owner is told once");
  assert.equal(await stage.stop(), 0);
}

/** Says in its name why it is left out. */
function test(name: string, canRun: boolean, fn: (home: GatewayHome) => Promise<void>): void {
  const note = canRun ? "" : " [skipped: mounting such a disk takes root and a loop device]";
  const ignore = !canRun;
  Deno.test({
    name: `${name}${note}`,
    ignore,
    fn: async () => {
      await using home = await GatewayHome.make();
      home.withoutReplay();
      await fn(home);
    },
  });
}

test("A disk that is full for a while costs no message", MAY_MOUNT, async (home) => {
  await using disk = await MemoryDisk.mount(join(home.path, "state"));
  await survives(home, { begin: () => disk.fill(), end: () => disk.clear() });
});

test("A disk that refuses writes for a while costs no message", MAY_MOUNT_IMAGES, async (home) => {
  await using disk = await ImageDisk.mount(join(home.path, "state"));
  await survives(home, { begin: () => disk.refuse(), end: () => disk.allow() });
});

test("A disk that becomes read-only for good loses no message", MAY_MOUNT_IMAGES, async (home) => {
  await using disk = await ImageDisk.mount(join(home.path, "state"));
  await using stage = await Stage.open(home);
  stage.platform.userSays({ text: "before" });
  await stage.answered("before");

  await disk.fail();
  const said = stage.platform.userSays({ text: "meanwhile" });
  await stage.has("degraded");
  assert.match(await stage.reason(), /read-only|readonly|disk I\/O error/);
  assert.equal(stage.platform.events.at(-1)?.isAcknowledged, false);

  // Only a mount mends such a disk, and that takes an end of the process.
  await stage.kill();
  await disk.mountAgain();
  await stage.startAgain();
  await said.acknowledged;
  await stage.answered("meanwhile");
  stage.checkAnswers("before", "meanwhile");
});
