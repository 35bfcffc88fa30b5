import assert from "node:assert/strict";
import { registerApp } from "../../../../channels/feishu/setup/registration.ts";
import { ManualClock } from "../../../support/manual_clock.ts";
import { until } from "../../../support/until.ts";

const BEGUN = { device_code: "d", verification_uri_complete: "https://scan" };
const DONE = { client_id: "cli_1", client_secret: "s", user_info: { open_id: "ou_1" } };

/** Runs the flow against scripted answers; the first two are those to init and begin. */
async function run(domain: string, answers: readonly unknown[]) {
  const clock = new ManualClock();
  const hosts: string[] = [];
  let isOver = false;
  const registering = registerApp({
    domain,
    clock,
    signal: new AbortController().signal,
    onLink: () => {},
    postForm: (url) => {
      const answer = answers[hosts.length] ?? null;
      hosts.push(new URL(url).host);
      return Promise.resolve(answer);
    },
  }).finally(() => void (isOver = true));
  registering.catch(() => {});
  await until(async () => {
    await clock.advance(5_000);
    return isOver;
  });
  return { app: await registering, hosts };
}

Deno.test("Registration goes on at Lark when the person belongs there", async () => {
  const { app, hosts } = await run("feishu", [
    {},
    BEGUN,
    { error: "authorization_pending" },
    { error: "authorization_pending", user_info: { tenant_brand: "lark" } },
    DONE,
  ]);
  assert.deepEqual(app, { appId: "cli_1", appSecret: "s", domain: "lark", openId: "ou_1" });
  assert.deepEqual(hosts.slice(-2), ["accounts.feishu.cn", "accounts.larksuite.com"]);
});

Deno.test("Registration begins at Lark where that is the domain", async () => {
  const { app, hosts } = await run("lark", [{}, BEGUN, DONE]);
  assert.equal(app.domain, "lark");
  assert.deepEqual(new Set(hosts), new Set(["accounts.larksuite.com"]));
});

Deno.test("Registration bears a few answers that make no sense", async () => {
  const { app } = await run("feishu", [{}, BEGUN, null, "?", { error: "new_error" }, DONE]);
  assert.equal(app.appId, "cli_1");
});

Deno.test.each([
  { name: "does not offer it", answers: [{}, { error: "unsupported" }], says: /does not offer it/ },
  { name: "stays silent", answers: [{}, BEGUN], says: /the time is over/ },
])("Registration ends when the platform $name", async ({ answers, says }) => {
  await assert.rejects(run("feishu", answers), (error: Error) => says.test(error.message));
});
