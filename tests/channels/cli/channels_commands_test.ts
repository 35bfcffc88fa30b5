import assert from "node:assert/strict";
import { join } from "node:path";
import { main } from "../../../channels/cli/main.ts";
import type { Terminal } from "../../../channels/cli/adapters/terminal.ts";
import { FeishuPlatform } from "../../simulators/feishu_server.ts";
import { temporaryFolder } from "../../support/temporary_folder.ts";

/** A terminal that remembers. */
class Screen implements Terminal {
  out = "";
  err = "";
  readonly isInteractive = false;
  readonly hasColors = false;
  readonly write = (text: string): void => void (this.out += text);
  readonly writeError = (text: string): void => void (this.err += text);
}

Deno.test("channels login saves credentials for this person alone, and reports as JSON", async () => {
  await using folder = await temporaryFolder();
  await using platform = await FeishuPlatform.start();
  const config = join(folder.path, "new", "config.json");
  const screen = new Screen();
  const { appId, appSecret } = platform.app;
  const args = ["channels", "login", "feishu", "--json", "--yes", "--config", config];
  const given = ["--app-id", appId, "--app-secret", appSecret, "--domain", platform.url];
  assert.equal(await main([...args, ...given], screen), 0);
  const report = JSON.parse(screen.out);
  assert.equal(report.ready, true);
  assert.equal(report.checks[0].name, "bot");
  assert.deepEqual(JSON.parse(await Deno.readTextFile(config)), {
    channels: { feishu: { enabled: true, appId, appSecret, domain: platform.url } },
  });
  assert.equal(((await Deno.stat(config)).mode ?? 0) & 0o777, 0o600);
  assert.doesNotMatch(screen.out + screen.err, new RegExp(appSecret));
});

Deno.test("channels login keeps the rest of the file, and the link to it", async () => {
  await using folder = await temporaryFolder();
  await using platform = await FeishuPlatform.start();
  const real = join(folder.path, "real.json");
  const config = join(folder.path, "config.json");
  await Deno.writeTextFile(real, '{\n  "agents": { "defaults": {"model":"m"} }\n}\n');
  await Deno.symlink(real, config);
  const { appId, appSecret } = platform.app;
  const args = ["channels", "login", "feishu", "--yes", "--config", config];
  const given = ["--app-id", appId, "--app-secret", appSecret, "--domain", platform.url];
  const screen = new Screen();
  assert.equal(await main([...args, ...given, "--instance", "work"], screen), 0);
  assert.equal((await Deno.lstat(config)).isSymlink, true);
  const instance = { id: "work", enabled: true, appId, appSecret, domain: platform.url };
  assert.deepEqual(JSON.parse(await Deno.readTextFile(real)), {
    agents: { defaults: { model: "m" } },
    channels: { feishu: { instances: [instance] } },
  });
  assert.match(screen.out, /✓ bot: Troupe[^]*Ready: start the gateway/);
});

Deno.test("channels login says what is missing, and fails", async () => {
  await using folder = await temporaryFolder();
  await using platform = await FeishuPlatform.start({
    missingScopes: ["im:message", "im:message:send_as_bot", "cardkit:card:write"],
  });
  const { appId, appSecret } = platform.app;
  const config = join(folder.path, "config.json");
  const args = ["channels", "login", "feishu", "--yes", "--config", config];
  const given = ["--app-id", appId, "--app-secret", appSecret, "--domain", platform.url];
  const screen = new Screen();
  assert.equal(await main([...args, ...given], screen), 1);
  assert.match(
    screen.out,
    /✗ permission im:message:send_as_bot: sending answers\n {4}switch it on/,
  );
  assert.match(screen.out, /Missing: permission im:message:send_as_bot\n/);
  assert.match(screen.out, /Missing, and optional: permission cardkit:card:write\n/);
});

Deno.test("channels login leaves a file alone that it cannot read", async () => {
  await using folder = await temporaryFolder();
  const config = join(folder.path, "config.json");
  await Deno.writeTextFile(config, "{ broken");
  const screen = new Screen();
  const args = ["channels", "login", "feishu", "--yes", "--config", config, "--app-id", "cli_1"];
  assert.notEqual(await main(args, screen), 0);
  assert.equal(await Deno.readTextFile(config), "{ broken");
});

Deno.test("channels login names the channels there are, for one that is not", async () => {
  const screen = new Screen();
  assert.equal(await main(["channels", "login", "pigeon"], screen), 1);
  assert.match(screen.err, /Cannot set "pigeon" up: there are .*feishu/);
});

Deno.test("channels status lists channels and their bots", async () => {
  await using folder = await temporaryFolder();
  const config = join(folder.path, "config.json");
  const app = { appSecret: "s" };
  const feishu = {
    enabled: true,
    instances: [
      { id: "one", appId: "cli_0000000000000001", ...app },
      { id: "two", appId: "cli_0000000000000001", ...app },
    ],
  };
  await Deno.writeTextFile(config, JSON.stringify({ channels: { feishu } }));
  const screen = new Screen();
  assert.equal(await main(["channels", "status", "--json", "--config", config], screen), 0);
  const [line] = JSON.parse(screen.out).filter(({ name }: { name: string }) => name === "feishu");
  const unknown = { restarts: null, lastEvent: null, lastError: null };
  assert.partialDeepStrictEqual(line, {
    name: "feishu",
    displayName: "Feishu",
    enabled: true,
    bots: [
      {
        name: "feishu.one",
        state: null,
        detail: "no gateway runs",
        ...unknown,
        rights: { net: ["open.feishu.cn:443", "msg-frontier.feishu.cn:443"] },
      },
      {
        name: "feishu.two",
        state: "skipped",
        detail: "channels.feishu.instances[1] is skipped: " +
          "channels.feishu.instances[0] has the same app",
        ...unknown,
        rights: null,
      },
    ],
  });
  const text = new Screen();
  assert.equal(await main(["channels", "status", "--config", config], text), 0);
  assert.match(text.out, /Feishu \(feishu\): on\n {2}feishu\.one: enabled \(no gateway runs\)/);
});

Deno.test("channels status says what a channel may do, those of others included", async () => {
  await using folder = await temporaryFolder();
  const config = join(folder.path, "config.json");
  const channels = {
    telegram: { enabled: true, token: "1:a" },
    echo: { enabled: true, module: "/opt/echo/mod.ts", hosts: ["127.0.0.1:8123"] },
  };
  await Deno.writeTextFile(config, JSON.stringify({ channels }));
  const screen = new Screen();
  assert.equal(await main(["channels", "status", "--config", config], screen), 0);
  assert.match(
    screen.out,
    /Telegram \(telegram\): on\n {2}telegram: enabled .+\n {4}reaches api\.telegram\.org:443\n/,
  );
  assert.match(screen.out, /echo \(echo\): on\n.+\n {4}reaches 127\.0\.0\.1:8123\n/);
  assert.match(screen.out, /reads .+media\/telegram, .+; writes .+media\/telegram\n/);
});
