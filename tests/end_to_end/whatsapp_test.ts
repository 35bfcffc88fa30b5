import assert from "node:assert/strict";
import { join } from "node:path";
import { z } from "zod";
import { loadLibrary } from "../../channels/whatsapp/adapters/library.ts";
import { lastUserText, ModelServer, say } from "../simulators/model_server.ts";
import { libraryThatTrusts, linkDevice } from "../simulators/whatsapp/linked_device.ts";
import { textIn } from "../simulators/whatsapp/seen.ts";
import { WhatsAppPlatform } from "../simulators/whatsapp_server.ts";
import {
  GatewayHome,
  GatewayProcess,
  type GatewayProcessOptions,
  runTroupe,
  writeConfig,
} from "../support/gateway_process.ts";
import { until } from "../support/until.ts";

Deno.test("The gateway answers on WhatsApp with the printed rights alone, and over crashes keeps its device, misses and repeats nothing", async () => {
  await loadLibrary(); // Signal's own words about the phone's sessions stay off the console
  await using home = await GatewayHome.make();
  await using platform = new WhatsAppPlatform();
  const alice = platform.addPerson("15551230001", { lid: "800000000000001", name: "Alice" });
  let isHeld = false;
  await using model = await ModelServer.start((request) => {
    const [text] = /first|second|third|fourth/.exec(lastUserText(request)) ?? [];
    if (text !== "second" || isHeld) return say(`To ${text}.`);
    isHeld = true;
    return { steps: [{ type: "pause", until: "never" }] };
  });
  const options: GatewayProcessOptions = {
    model,
    config: {
      channels: {
        whatsapp: { enabled: true, allowFrom: [alice.phone], serverUrl: platform.url },
      },
      tools: { exec: { sandbox: "virtual" } },
    },
  };
  linkDevice(platform, join(home.path, "state", "channels", "whatsapp"));
  await writeConfig(home, options);
  const { code, stdout, stderr } = await runTroupe(["permissions", "--json"], home.path);
  assert.equal(code, 0, stderr);
  const { command } = z.object({ command: z.array(z.string()) }).parse(JSON.parse(stdout));
  // Where its Worker may read.
  await Deno.mkdir(home.workspace, { recursive: true });
  const importMap = await libraryThatTrusts(platform, home.workspace);
  const program = command.slice(0, -1).toSpliced(2, 0, `--import-map=${importMap}`);
  const start = () => GatewayProcess.start(home, { ...options, program });
  const says = (conversation: string) =>
    platform.userSays({ from: alice, message: { conversation } });
  const texts = () =>
    platform.chats.of(alice.phoneJid).map(({ message }) => textIn(message))
      .filter((text) => !text.startsWith("⏳"));
  const answered = (count: number, gateway: GatewayProcess) =>
    until(() => texts().length === count, {
      what: `answer ${count} (${gateway.output})`,
      timeoutMs: 30_000,
    });
  {
    await using gateway = await start();
    says("first");
    await answered(1, gateway);
    says("second");
    await until(() => isHeld, { what: "the second call of the model" });
    await gateway.kill();
  }
  {
    await using gateway = await start();
    await answered(2, gateway);
    await platform.delivered(says("third"));
    await gateway.kill();
  }
  await using gateway = await start();
  await answered(3, gateway);
  says("fourth");
  await answered(4, gateway);
  assert.deepEqual(texts(), ["To first.", "To second.", "To third.", "To fourth."]);
  assert.equal(await gateway.stop(), 0);
  assert.deepEqual([platform.pairings.begun, platform.logins], [0, 3]);
  assert.doesNotMatch(gateway.output, /Closing session|<Buffer/);
});
