import assert from "node:assert/strict";
import type { JsonObject } from "../../../../actors/kernel/json.ts";
import { setup } from "../../../../channels/discord/setup/mod.ts";
import type { SetupReport, SetupScene } from "../../../../channels/setup.ts";
import { DiscordPlatform } from "../../../simulators/discord_server.ts";
import { ManualClock } from "../../../support/manual_clock.ts";

/** A person at a terminal, and a bot. */
class Desk implements AsyncDisposable {
  readonly clock: ManualClock = new ManualClock();
  readonly platform: DiscordPlatform = new DiscordPlatform(this.clock);
  readonly said: string[] = [];
  readonly saved: JsonObject[] = [];
  /** Answers to questions, in order; a missing one is never given. */
  readonly answers: string[] = [];
  section: JsonObject = { apiBase: this.platform.apiBase };

  /** Runs the set-up. */
  login(changes: Partial<SetupScene> = {}): Promise<SetupReport> {
    return setup.login({
      section: this.section,
      given: { token: this.platform.token },
      isScanning: false,
      isForced: false,
      isInteractive: false,
      clock: this.clock,
      newId: () => "id",
      signal: new AbortController().signal,
      say: (text) => void this.said.push(text),
      showLink: (url) => void this.said.push(url),
      tell: () => {},
      ask: (question, { signal } = {}) => this.#ask(question, signal),
      save: (made) => {
        this.saved.push(made);
        return Promise.resolve();
      },
      ...changes,
    });
  }

  #ask(question: string, signal: AbortSignal | undefined): Promise<string> {
    const answer = question === "" ? undefined : this.answers.shift();
    if (answer !== undefined) return Promise.resolve(answer);
    const { promise, reject } = Promise.withResolvers<string>();
    signal?.addEventListener("abort", () => reject(signal.reason), { once: true });
    return promise;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.platform[Symbol.asyncDispose]();
    assert.equal(this.clock.pending, 0, "no timer is left");
  }
}

function states({ checks }: SetupReport): string[] {
  return checks.map(({ name, state }) => `${state} ${name}`);
}

Deno.test("Discord login checks the token, what the bot may do, and the gateway", async () => {
  await using desk = new Desk();
  const report = await desk.login();
  assert.equal(report.isReady, true);
  assert.deepEqual(states(report), ["ok bot", "ok message content", "ok servers", "ok gateway"]);
  assert.deepEqual(desk.saved, [{ enabled: true, token: desk.platform.token }]);
});

Deno.test("Discord login says which intent is missing, and where to switch it on", async () => {
  await using desk = new Desk();
  desk.platform.account.applicationFlags = 0;
  desk.platform.intentsAllowed = 0;
  desk.platform.account.guilds = [];
  const report = await desk.login();
  assert.equal(report.isReady, false);
  assert.deepEqual(states(report), [
    "ok bot",
    "missing message content",
    "missing servers",
    "missing gateway",
  ]);
  const { applicationId } = desk.platform;
  assert.match(report.checks[1]?.url ?? "", new RegExp(`${applicationId}/bot$`));
  assert.match(report.checks[2]?.url ?? "", new RegExp(`client_id=${applicationId}`));
});

Deno.test("Discord login offers access to the owner, and waits for a first message", async () => {
  await using desk = new Desk();
  const owner = desk.platform.addPerson("alice");
  desk.answers.push("y");
  const logging = desk.login({ isInteractive: true });
  await desk.platform.waitFor(() => desk.said.some((text) => text.startsWith("Write something")));
  desk.platform.userSays({ author: owner, channel: desk.platform.direct(owner), text: "hi" });
  const report = await logging;
  assert.equal(states(report).at(-1), "ok first message");
  assert.deepEqual(desk.saved.at(-1), { allowFrom: [owner.id] });
});

Deno.test("Discord login saves nothing when the token is wrong", async () => {
  await using desk = new Desk();
  const token = desk.platform.token.replace(/.$/, "A");
  await assert.rejects(desk.login({ given: { token } }), { code: "setup_refused" });
  assert.deepEqual(desk.saved, []);
});

Deno.test.each<{ readonly given: Record<string, string> }>([{ given: {} }, {
  given: { token: "nonsense" },
}])("Discord login asks nobody who is not there, case %#", async ({ given }) => {
  await using desk = new Desk();
  await assert.rejects(desk.login({ given }), { code: "setup_incomplete" });
});

Deno.test("Discord login says that it cannot reach the platform", async () => {
  await using desk = new Desk();
  desk.platform.goOffline();
  await assert.rejects(desk.login(), { code: "setup_unreachable" });
});
