import assert from "node:assert/strict";
import { z } from "zod";
import type { JsonObject } from "../../../actors/kernel/json.ts";
import { manifest as feishu } from "../../../channels/feishu/manifest.ts";
import { instancesOf } from "../../../channels/manifest.ts";
import { loadSettings, refusalOf } from "./_load.ts";

const APP = "cli_0123456789abcdef";

function settings(section: JsonObject): JsonObject {
  return { channels: { feishu: { enabled: true, ...section } } };
}

Deno.test("Instances are read in snake_case, with placeholders and secrets", async () => {
  const instances = [{ id: "work", app_id: APP, app_secret: "${WORK_SECRET}", react_emoji: "" }];
  const { config, secrets, warnings } = await loadSettings(
    settings({ allow_from: ["*"], instances }),
    { manifests: [feishu], env: { WORK_SECRET: "a-work-secret" } },
  );
  assert.deepEqual(warnings, []);
  const section = config.channels.enabled["feishu"];
  assert.ok(section !== undefined);
  const [bot] = instancesOf(feishu, feishu.schema(z).parse(section));
  assert.partialDeepStrictEqual(bot?.section, {
    appId: APP,
    appSecret: "a-work-secret",
    reactEmoji: null,
    allowFrom: ["*"],
  });
  assert.deepEqual(secrets.values, ["a-work-secret"]);
  assert.deepEqual(secrets.variables, ["WORK_SECRET"]);
});

Deno.test("An unknown key of an instance is a warning with the nearest one", async () => {
  const instances = [{ id: "work", appId: APP, appSecret: "s", groupPolcy: "open" }];
  const { warnings } = await loadSettings(settings({ instances }), { manifests: [feishu] });
  assert.deepEqual(warnings, [
    "Unknown key channels.feishu.instances[0].groupPolcy is ignored: " +
    "did you mean channels.feishu.instances[0].groupPolicy?",
  ]);
});

Deno.test("An instance that is incomplete is refused, and named", async () => {
  const instances = [{ id: "work", appId: APP }];
  const refusal = await refusalOf(
    loadSettings(settings({ instances }), { manifests: [feishu] }),
  );
  assert.match(refusal.message, /channels\.feishu\.instances\[0\]\.appSecret is missing/);
});

Deno.test("An instance that is off needs nothing", async () => {
  const instances = [{ id: "work", enabled: false, appSecret: "${NOT_SET}" }];
  const { config } = await loadSettings(
    settings({ appId: APP, appSecret: "s", instances }),
    { manifests: [feishu] },
  );
  assert.ok(config.channels.enabled["feishu"] !== undefined);
});
