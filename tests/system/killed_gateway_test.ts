import { callTool, ModelServer, say } from "../simulators/model_server.ts";
import { FeishuPlatform, NO_LIMITS } from "../simulators/feishu_server.ts";
import { GatewayHome, GatewayProcess } from "../support/gateway_process.ts";
import { hostsOf, noneAlive, noneLeft, processesOf } from "../support/killed_owner.ts";
import { until } from "../support/until.ts";

Deno.test.each([
  { sandbox: "bwrap", network: "filtered" },
  { sandbox: "bwrap", network: "none" },
  { sandbox: "process", network: "host" },
])(
  "A gateway that is killed leaves no command, relay or tool host: $sandbox, network $network",
  async ({ sandbox, network }) => {
    await using home = await GatewayHome.make();
    await using platform = await FeishuPlatform.start({ limits: NO_LIMITS });
    await using model = await ModelServer.start([
      callTool("read_file", { path: "AGENTS.md" }),
      callTool("exec", { command: "sleep 4711 & sleep 4711" }),
      say("never"),
    ]);
    const config = { tools: { exec: { sandbox, network } } };
    await using gateway = await GatewayProcess.start(home, { model, feishu: platform, config });
    await platform.connected({ timeoutMs: 30_000 });
    platform.userSays({ text: "sleep" });
    const isRunning = async () =>
      (await hostsOf(gateway.pid)).length > 0 &&
      (await processesOf(home.path)).some((line) => /^\d+ sleep 4711/.test(line));
    await until(isRunning, { timeoutMs: 30_000, what: "a tool host, and the command" });
    const hosts = await hostsOf(gateway.pid);
    await gateway.kill();
    await noneLeft(home.path);
    await noneAlive(hosts);
  },
);
