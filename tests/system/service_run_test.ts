import assert from "node:assert/strict";
import { join } from "node:path";
import { exists } from "../../actors/kernel/adapters/missing.ts";
import {
  serviceInstallCommand,
  serviceStatusCommand,
  serviceUninstallCommand,
} from "../../channels/cli/commands/service.ts";
import type { ServiceScene } from "../../channels/cli/service/service_scene.ts";
import { Screen } from "../channels/cli/_provider_home.ts";
import { GatewayHome, writeConfig } from "../support/gateway_process.ts";
import { TroupeCommand } from "../support/troupe_command.ts";
import { until } from "../support/until.ts";
import { ModelServer, say } from "../simulators/model_server.ts";
import { CAN_MANAGE, UserManager } from "./user_manager.ts";

const SERVICE = { name: "troupe-tried" };
/** `TimeoutStopSec` of the unit: past it systemd kills what it stops. */
const STOP_MAX_MS = 45_000;
const SKIPPED = " [skipped: it takes systemd, and the rights of root]";

/** A person whose services the manager runs. */
function sceneOf(manager: UserManager): ServiceScene {
  const { HOME = "/", DENO_DIR = join(HOME, ".cache", "deno") } = Deno.env.toObject();
  const variables = { ...manager.environment, DENO_DIR };
  return { home: manager.home, system: "linux", userId: Deno.uid() ?? 0, variables };
}

/** Says one thing after the other to the assistant; gives all that it answers. */
async function talk(home: GatewayHome, ...lines: readonly string[]): Promise<string> {
  await using chat = new TroupeCommand({ home: home.path, args: ["agent"] });
  for (const line of lines) await chat.type(`${line}\n`);
  await chat.endInput();
  await chat.ended();
  return chat.stdout;
}

Deno.test({
  name: "systemd runs the service as it is installed, again after a restart, and stops it in time" +
    (CAN_MANAGE ? "" : SKIPPED),
  ignore: !CAN_MANAGE,
  fn: async () => {
    await using home = await GatewayHome.make();
    await using model = await ModelServer.start([say("from the service")]);
    await writeConfig(home, { model });
    await using manager = await UserManager.start();
    const scene = sceneOf(manager);
    const screen = new Screen();
    const pid = () => manager.systemctl("show", SERVICE.name, "--property=MainPID", "--value");
    const door = join(home.path, "state", "control.sock");

    const flags = { ...SERVICE, config: join(home.path, "config.json") };
    assert.equal(await serviceInstallCommand(flags, screen, scene), 0);
    await until(() => exists(door), { what: "the service's gateway", timeoutMs: 60_000 });
    const first = await pid();
    assert.match(await talk(home, "are you a service?", "/restart"), /^from the service\n/);

    const isAnother = async () => !["0", first].includes(await pid()) && await exists(door);
    const what = "another process of the service";
    await until(isAnother, { what, timeoutMs: 60_000, pauseMs: 100 });
    assert.equal(await serviceStatusCommand(SERVICE, screen, scene), 0);
    const restarts = await manager.systemctl("show", SERVICE.name, "--property=NRestarts");
    assert.equal(restarts, "NRestarts=1", "it is systemd that started it again");

    const stopMs = performance.now();
    assert.equal(await serviceUninstallCommand(SERVICE, screen, scene), 0, screen.err);
    assert.ok(performance.now() - stopMs < STOP_MAX_MS, "in time");
    assert.ok(!await exists(door), "in order");
    assert.match(screen.out, /is started, now and at every login/);
  },
});
