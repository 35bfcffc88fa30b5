import assert from "node:assert/strict";
import { join } from "node:path";
import { GatewayHome, GatewayProcess } from "../support/gateway_process.ts";
import { until } from "../support/until.ts";
import { FeishuPlatform } from "../simulators/feishu_server.ts";
import { lastUserText, ModelServer, say } from "../simulators/model_server.ts";

/** A file system of its own below a folder, small enough to be filled; needs the right to mount. */
class SmallDisk implements AsyncDisposable {
  readonly path: string;

  private constructor(path: string) {
    this.path = path;
  }

  static async mount(path: string): Promise<SmallDisk> {
    await Deno.mkdir(path, { recursive: true });
    assert.ok(await run("mount", "-t", "tmpfs", "-o", "size=3m,mode=0700", "tmpfs", path));
    return new SmallDisk(path);
  }

  /** Takes all the room there is. */
  async fill(): Promise<void> {
    await run("dd", "if=/dev/zero", `of=${join(this.path, "filler")}`, "bs=4096");
  }

  /** Gives the room back. */
  async clear(): Promise<void> {
    await Deno.remove(join(this.path, "filler"));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    assert.ok(await run("umount", "-l", this.path));
  }
}

async function run(command: string, ...args: readonly string[]): Promise<boolean> {
  const process = new Deno.Command(command, { args: [...args], stdout: "null", stderr: "null" });
  return (await process.output()).success;
}

/** Only root may mount. */
const ignore = Deno.uid() !== 0;
const NOTE = ignore ? " [skipped: mounting a small disk takes root]" : "";

Deno.test({
  name: `A disk that is full for a while costs no message and needs no restart${NOTE}`,
  ignore,
  fn: survivesAFullDisk,
});

async function survivesAFullDisk(): Promise<void> {
  await using home = await GatewayHome.make();
  await using disk = await SmallDisk.mount(join(home.path, "state"));
  await using platform = await FeishuPlatform.start({
    redelivery: { acknowledgeWithinMs: 500, delaysMs: Array.from({ length: 60 }, () => 500) },
  });
  await using model = await ModelServer.start((request) =>
    say("echo ", lastUserText(request).split("\n").at(-1) ?? "")
  );
  await using gateway = await GatewayProcess.start(home, { model, feishu: platform });
  await platform.connected({ timeoutMs: 30_000 });
  const answers = () => platform.chat("ou_alice").fromBot.map(({ text }) => text);
  platform.userSays({ text: "before" });
  await until(() => answers().includes("echo before"), { timeoutMs: 20_000, what: "an answer" });

  await disk.fill();
  const said = platform.userSays({ text: "while it is full" });
  const status = async () => (await gateway.health())["status"];
  await until(async () => await status() === "degraded", {
    timeoutMs: 20_000,
    what: "the health to say so",
  });
  assert.equal(platform.events.at(-1)?.isAcknowledged, false);

  await disk.clear();
  await said.acknowledged;
  await until(() => answers().includes("echo while it is full"), {
    timeoutMs: 40_000,
    what: "the answer once there is room",
  });
  assert.deepEqual(answers().filter((text) => text.startsWith("echo")), [
    "echo before",
    "echo while it is full",
  ]);
  await until(async () => await status() === "ok", { timeoutMs: 20_000, what: "good health" });
  assert.equal(await gateway.stop(), 0);
}
