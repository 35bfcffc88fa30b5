import assert from "node:assert/strict";
import { join } from "node:path";
import { main } from "../../../../channels/cli/main.ts";
import { FeishuPlatform } from "../../../simulators/feishu_server.ts";
import { ModelServer, refuse, say } from "../../../simulators/model_server.ts";
import { temporaryFolder } from "../../../support/temporary_folder.ts";
import { Screen } from "../_provider_home.ts";

async function onboard(
  config: string,
  ...args: readonly string[]
): Promise<{ readonly code: number; readonly out: string; readonly err: string }> {
  const screen = new Screen();
  const code = await main(["onboard", "--config", config, ...args], screen);
  return { code, out: screen.out, err: screen.err };
}

Deno.test("onboard --yes writes what the flags say, once the model has answered", async () => {
  await using folder = await temporaryFolder();
  await using model = await ModelServer.start([
    say("ok"),
    refuse(401, { message: "invalid api key" }),
  ]);
  const config = join(folder.path, "new", "config.json");
  const workspace = join(folder.path, "ws");
  const base = ["--yes", "--provider", "custom", "--api-base", model.baseUrl, "--model", "m"];
  const first = await onboard(config, ...base, "--api-key", "sk-a", "--workspace", workspace);
  assert.equal(first.code, 0, first.out + first.err);
  assert.match(first.out, /✓ Custom at .*: "m" answered in \d+ ms/);
  assert.match(first.out, /Next:\n.* agent --config/);
  const written = await Deno.readTextFile(config);
  assert.deepEqual(JSON.parse(written), {
    agents: { defaults: { provider: "custom", model: "m", workspace } },
    providers: { custom: { apiBase: model.baseUrl, apiKey: "sk-a" } },
  });
  assert.match(await Deno.readTextFile(join(workspace, "SOUL.md")), /\S/);

  const again = await onboard(config, "--yes");
  assert.equal(again.code, 0, "there is nothing to do");
  assert.equal(await Deno.readTextFile(config), written);

  const wrong = await onboard(config, ...base, "--api-key", "sk-b");
  assert.equal(wrong.code, 1);
  assert.match(wrong.out, /✗ Custom at .*: key: /);
  assert.doesNotMatch(wrong.out, /Next:| agent | gateway /);
  assert.match(wrong.out, /Not all of it works yet[^]* doctor --config[^]* onboard --config/);
  assert.equal(await Deno.readTextFile(config), written, "a key that does not work is not saved");
});

Deno.test("onboard without a terminal says how to go on", async () => {
  await using folder = await temporaryFolder();
  const config = join(folder.path, "config.json");
  const { code, err } = await onboard(config);
  assert.equal(code, 2);
  assert.match(err, /^Error: Cannot ask: there is no terminal; give --yes[^\n]*\n$/);
});

Deno.test("onboard --yes names what it cannot guess", async () => {
  await using folder = await temporaryFolder();
  const config = join(folder.path, "config.json");
  const { code, err } = await onboard(config, "--yes", "--provider", "deepseek", "--api-key", "k");
  assert.equal(code, 1);
  assert.match(err, /^Error: Cannot set deepseek up: give --model/);
  const broken = join(folder.path, "broken.json");
  await Deno.writeTextFile(broken, "{");
  const refused = await onboard(broken, "--yes", "--model", "m");
  assert.equal(refused.code, 2);
  assert.match(refused.err, /^Error: Cannot load [^\n]*malformed JSON/);
  assert.match(refused.out, /--set-aside/);
  assert.equal(await Deno.readTextFile(broken), "{");
});

Deno.test("onboard --yes --no-check asks no model", async () => {
  await using folder = await temporaryFolder();
  await using model = await ModelServer.start();
  const config = join(folder.path, "config.json");
  const flags = ["--provider", "custom", "--api-base", model.baseUrl, "--model", "m"];
  const { code } = await onboard(config, "--yes", "--no-check", ...flags);
  assert.equal(code, 0);
  assert.equal(model.requests.length, 0);
});

Deno.test.each<[string, readonly string[], number]>([
  ["that is ready", [], 0],
  ["that lacks something", ["im:message", "im:message:send_as_bot"], 1],
])("onboard --yes sets a channel up %s, with its live checks", async (_what, missing, expected) => {
  await using folder = await temporaryFolder();
  await using platform = await FeishuPlatform.start({ missingScopes: missing });
  const config = join(folder.path, "config.json");
  const base = { agents: { defaults: { provider: "custom", model: "m" } } };
  const providers = { custom: { apiBase: "http://127.0.0.1:9/v1" } };
  await Deno.writeTextFile(config, JSON.stringify({ ...base, providers }));
  const { appId, appSecret } = platform.app;
  const given = ["--app-id", appId, "--app-secret", appSecret, "--domain", platform.url];
  const { code, out } = await onboard(config, "--yes", "--channel", "feishu", ...given);
  assert.equal(code, expected, out);
  assert.match(out, /✓ bot: Troupe/);
  assert.equal(/Next:/.test(out), expected === 0);
  assert.deepEqual(JSON.parse(await Deno.readTextFile(config)), {
    ...base,
    providers,
    channels: { feishu: { enabled: true, appId, appSecret, domain: platform.url } },
  });
});
