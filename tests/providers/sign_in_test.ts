import assert from "node:assert/strict";
import { codexTokenFile, codexTokens } from "../../providers/auth/codex_tokens.ts";
import { signInToCodex } from "../../providers/auth/codex_sign_in.ts";
import { copilotTokenFile } from "../../providers/auth/copilot_tokens.ts";
import { signInToCopilot } from "../../providers/auth/copilot_sign_in.ts";
import {
  type SignInPorts,
  type SignInProgress,
  signInStatus,
  signOut,
} from "../../providers/auth/sign_in.ts";
import { type DeviceAnswer, SignInServer } from "../simulators/model_sign_in.ts";
import { ManualClock } from "../support/manual_clock.ts";
import { temporaryFolder } from "../support/temporary_folder.ts";
import { until } from "../support/until.ts";

interface Bench extends AsyncDisposable {
  readonly clock: ManualClock;
  readonly server: SignInServer;
  readonly told: SignInProgress[];
  readonly abort: AbortController;
  readonly ports: SignInPorts;
}

async function bench(deviceAnswers?: readonly DeviceAnswer[]): Promise<Bench> {
  await using opening = new AsyncDisposableStack();
  const { path: stateFolder } = opening.use(await temporaryFolder());
  const clock = new ManualClock();
  const server = opening.use(
    new SignInServer({ now: () => clock.now(), ...(deviceAnswers && { deviceAnswers }) }),
  );
  const told: SignInProgress[] = [];
  const abort = new AbortController();
  const ports: SignInPorts = {
    clock,
    newId: () => crypto.randomUUID(),
    tell: (progress) => told.push(progress),
    signal: abort.signal,
    stateFolder,
  };
  const stack = opening.move();
  return { clock, server, told, abort, ports, [Symbol.asyncDispose]: () => stack.disposeAsync() };
}

function signIntoCodex(
  { ports, server }: Bench,
  readPasted?: (signal: AbortSignal) => Promise<string>,
) {
  return signInToCodex({
    ...ports,
    issuer: server.url,
    port: 0,
    secretBytes: (count) => crypto.getRandomValues(new Uint8Array(count)),
    ...(readPasted && { readPasted }),
  });
}

/** What a browser does with a page: it goes where it is sent. */
async function browse(progress: SignInProgress | undefined): Promise<string> {
  assert.equal(progress?.type, "visit");
  const page = await fetch(progress.url, { redirect: "manual" });
  await page.body?.cancel();
  const back = page.headers.get("location")?.replace("localhost", "127.0.0.1") ?? "";
  const answer = await fetch(back);
  await answer.body?.cancel();
  return back;
}

async function modeOf(path: string): Promise<string> {
  return ((await Deno.stat(path)).mode ?? 0).toString(8).slice(-3);
}

Deno.test("signInToCodex gets tokens by a page in the browser, and keeps them to the user", async () => {
  await using world = await bench();
  const signingIn = signIntoCodex(world);
  await until(() => world.told.length === 1);
  await browse(world.told[0]);
  assert.deepEqual(await signingIn, { account: "account-1" });
  const { stateFolder, newId } = world.ports;
  const stored = await codexTokenFile(stateFolder, newId).read();
  assert.ok(stored !== null && world.server.access.has(stored.access));
  assert.equal(stored.expires, world.clock.now() + 3_600_000);
  assert.equal(await modeOf(`${stateFolder}/auth/openai_codex.json`), "600");
  assert.equal(await modeOf(`${stateFolder}/auth`), "700");
  assert.equal(world.clock.pending, 0);
  assert.doesNotMatch(JSON.stringify(world.told), /secret/);
});

Deno.test("signInToCodex asks as the server knows its clients to ask", async () => {
  await using world = await bench();
  const signingIn = signIntoCodex(world);
  await until(() => world.told.length === 1);
  const [progress] = world.told;
  assert.equal(progress?.type, "visit");
  const { pathname, searchParams } = new URL(progress.url);
  assert.equal(pathname, "/oauth/authorize");
  assert.partialDeepStrictEqual(Object.fromEntries(searchParams), {
    response_type: "code",
    client_id: "app_EMoamEEZ73f0CkXaXp7hrann",
    scope: "openid profile email offline_access",
    code_challenge_method: "S256",
    id_token_add_organizations: "true",
    codex_cli_simplified_flow: "true",
  });
  assert.match(searchParams.get("redirect_uri") ?? "", /^http:\/\/localhost:\d+\/auth\/callback$/);
  await browse(progress);
  await signingIn;
});

Deno.test("signInToCodex turns away a browser that comes from another sign-in", async () => {
  await using world = await bench();
  const signingIn = signIntoCodex(world);
  await until(() => world.told.length === 1);
  const [progress] = world.told;
  assert.equal(progress?.type, "visit");
  const redirect = new URL(progress.url).searchParams.get("redirect_uri") ?? "";
  const forged = await fetch(`${redirect.replace("localhost", "127.0.0.1")}?code=x&state=other`);
  assert.equal(forged.status, 404);
  await forged.body?.cancel();
  await browse(progress);
  await signingIn;
});

Deno.test.each(["the address", "the code"])(
  "signInToCodex takes %s that is pasted",
  async (what) => {
    await using world = await bench();
    const pasted = Promise.withResolvers<string>();
    const signingIn = signIntoCodex(world, () => pasted.promise);
    await until(() => world.told.length === 1);
    const [progress] = world.told;
    assert.equal(progress?.type, "visit");
    const page = await fetch(progress.url, { redirect: "manual" });
    await page.body?.cancel();
    await world.clock.advance(120_000);
    await until(() => world.told.at(-1)?.type === "paste");
    const address = page.headers.get("location") ?? "";
    const code = new URL(address).searchParams.get("code") ?? "";
    pasted.resolve(what === "the code" ? ` ${code}\n` : address);
    assert.deepEqual(await signingIn, { account: "account-1" });
  },
);

Deno.test("signInToCodex gives up when the browser does not come back and nobody can paste", async () => {
  await using world = await bench();
  const signingIn = signIntoCodex(world);
  const failure = assert.rejects(signingIn, { code: "sign_in_expired" });
  await until(() => world.told.length === 1);
  await world.clock.advance(120_000);
  await failure;
});

Deno.test("signInToCodex stops when it is aborted", async () => {
  await using world = await bench();
  const failure = assert.rejects(signIntoCodex(world), { name: "AbortError" });
  await until(() => world.told.length === 1);
  world.abort.abort();
  await failure;
  assert.equal(world.clock.pending, 0);
});

Deno.test("signInToCodex says that its port is taken", async () => {
  await using world = await bench();
  using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const { ports, server } = world;
  const port = listener.addr.port;
  const signingIn = signInToCodex({
    ...ports,
    issuer: server.url,
    port,
    secretBytes: (count) => new Uint8Array(count),
  });
  await assert.rejects(signingIn, { code: "sign_in_refused", message: /port \d+ .* is taken/ });
});

Deno.test("signInToCopilot waits until the code has been entered", async () => {
  await using world = await bench(["authorization_pending", "slow_down", "granted"]);
  const hosts = { web: world.server.url, api: world.server.url };
  const signingIn = signInToCopilot({ ...world.ports, hosts });
  await until(() => world.told.length === 1);
  assert.deepEqual(world.told, [{
    type: "visit",
    url: `${world.server.url}/login/device`,
    code: "ABCD-1234",
  }]);
  for (const [polls, waitMs] of [[1, 5_000], [2, 5_000], [3, 10_000]] as const) {
    await until(() => world.clock.nextDueMs === world.clock.now() + waitMs);
    await world.clock.advance(waitMs);
    await until(() => world.server.count("/login/oauth/access_token") === polls);
  }
  assert.deepEqual(await signingIn, { account: "octocat" });
  const { stateFolder, newId } = world.ports;
  assert.deepEqual(await copilotTokenFile(stateFolder, newId).read(), {
    access: "github-secret",
    login: "octocat",
  });
  assert.equal(await modeOf(`${stateFolder}/auth/github_copilot.json`), "600");
});

Deno.test.each<[DeviceAnswer, RegExp]>([
  ["expired_token", /^GitHub device code expired\. Please run login again\.$/],
  ["access_denied", /^GitHub device flow was denied\.$/],
])("signInToCopilot ends on %s", async (answer, message) => {
  await using world = await bench([answer]);
  const hosts = { web: world.server.url, api: world.server.url };
  const failure = assert.rejects(signInToCopilot({ ...world.ports, hosts }), { message });
  await until(() => world.clock.nextDueMs === world.clock.now() + 5_000);
  await world.clock.advance(5_000);
  await failure;
});

Deno.test("signInToCopilot ends when the time for the code is over", async () => {
  await using world = await bench(["authorization_pending"]);
  const hosts = { web: world.server.url, api: world.server.url };
  let message = "";
  const signingIn = signInToCopilot({ ...world.ports, hosts }).catch((error: unknown) => {
    message = error instanceof Error ? error.message : "";
  });
  await until(() => world.told.length === 1);
  for (let poll = 0; poll < 200 && message === ""; poll++) {
    await until(() => message !== "" || world.clock.nextDueMs === world.clock.now() + 5_000);
    if (message === "") await world.clock.advance(5_000);
  }
  await signingIn;
  assert.equal(message, "GitHub device flow timed out.");
  assert.ok(world.server.count("/login/oauth/access_token") < 180);
});

Deno.test("signInStatus knows who is signed in, until they sign out", async () => {
  await using world = await bench();
  const { stateFolder, newId } = world.ports;
  assert.deepEqual(await signInStatus("github_copilot", world.ports), { state: "signed_out" });
  await copilotTokenFile(stateFolder, newId).write({ access: "a", login: "octocat" });
  await codexTokenFile(stateFolder, newId).write({ access: "a", refresh: "r", expires: 0 });
  assert.deepEqual(await signInStatus("github_copilot", world.ports), {
    state: "signed_in",
    account: "octocat",
  });
  assert.deepEqual(await signInStatus("openai_codex", world.ports), {
    state: "signed_in",
    account: null,
  });
  for (const name of ["github_copilot", "openai_codex"] as const) {
    await signOut(name, world.ports);
    await signOut(name, world.ports);
    assert.deepEqual(await signInStatus(name, world.ports), { state: "signed_out" });
  }
});

Deno.test("codexTokens finds the sign-in of the Codex CLI, whose life stands in its token", async () => {
  await using world = await bench();
  const { stateFolder, newId } = world.ports;
  const { access_token, refresh_token } = world.server.makeTokens();
  await Deno.mkdir(`${stateFolder}/.codex`);
  await Deno.writeTextFile(
    `${stateFolder}/.codex/auth.json`,
    JSON.stringify({ tokens: { access_token, refresh_token } }),
  );
  const tokens = codexTokens(stateFolder, {
    clock: world.clock,
    newId,
    issuer: world.server.url,
    homeFolder: stateFolder,
  });
  assert.deepEqual(await tokens.get(), {
    access: access_token,
    refresh: refresh_token,
    expires: world.clock.now() + 3_600_000,
    account_id: "account-1",
  });
  assert.equal(world.server.count("/oauth/token"), 0);
});
