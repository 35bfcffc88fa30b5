import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import {
  codexTokenFile,
  type CodexTokens,
  codexTokens,
} from "../../providers/auth/codex_tokens.ts";
import { copilotTokenFile, copilotTokens } from "../../providers/auth/copilot_tokens.ts";
import { SignInServer } from "../simulators/model_sign_in.ts";
import { ModelServer, refuse, say } from "../simulators/model_server.ts";
import { askAll, errorOf, responseOf } from "../support/chat.ts";
import { ManualClock } from "../support/manual_clock.ts";
import { connectCodex, connectCopilot } from "../support/providers.ts";
import { temporaryFolder } from "../support/temporary_folder.ts";
import { until } from "../support/until.ts";

const MINUTE_MS = 60_000;

interface Bench extends AsyncDisposable {
  readonly clock: ManualClock;
  readonly server: SignInServer;
  readonly stateFolder: string;
  /** Makes good tokens that end so soon. */
  store(leftMs: number): Promise<CodexTokens>;
  /** The tokens as a process has them. */
  open(): ReturnType<typeof codexTokens>;
}

async function bench(): Promise<Bench> {
  await using opening = new AsyncDisposableStack();
  const { path: stateFolder } = opening.use(await temporaryFolder());
  const clock = new ManualClock();
  const server = opening.use(new SignInServer({ now: () => clock.now() }));
  const newId = () => crypto.randomUUID();
  const stack = opening.move();
  return {
    clock,
    server,
    stateFolder,
    async store(leftMs: number): Promise<CodexTokens> {
      const { access_token: access, refresh_token: refresh } = server.makeTokens();
      const tokens = { access, refresh, expires: clock.now() + leftMs };
      await codexTokenFile(stateFolder, newId).write(tokens);
      return tokens;
    },
    open: () =>
      codexTokens(stateFolder, { clock, newId, issuer: server.url, homeFolder: stateFolder }),
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}

Deno.test("SharedTokens gives what is stored while it is good", async () => {
  await using world = await bench();
  const stored = await world.store(2 * MINUTE_MS);
  assert.equal((await world.open().get()).access, stored.access);
  assert.equal(world.server.count("/oauth/token"), 0);
});

Deno.test("SharedTokens renews once for all who wait", async () => {
  await using world = await bench();
  const stored = await world.store(30_000);
  const tokens = world.open();
  const got = await Promise.all(Array.from({ length: 50 }, () => tokens.get()));
  assert.equal(new Set(got).size, 1);
  assert.notEqual(got[0]?.access, stored.access);
  assert.equal(world.server.count("/oauth/token"), 1);
  assert.equal((await world.open().get()).access, got[0]?.access);
});

Deno.test("SharedTokens renews once for all processes", async () => {
  await using world = await bench();
  await world.store(0);
  const held = Promise.withResolvers<void>();
  world.server.gate = held.promise;
  const processes = Array.from({ length: 3 }, () => tokenProcess(world).output());
  await until(() => world.server.count("/oauth/token") === 1, { timeoutMs: 20_000 });
  held.resolve();
  const outputs = await Promise.all(processes);
  const tokens = new Set(outputs.map(({ stdout }) => new TextDecoder().decode(stdout)));
  assert.equal(tokens.size, 1, "all have the same token");
  assert.equal(world.server.access.has([...tokens][0] ?? ""), true);
  assert.equal(world.server.count("/oauth/token"), 1);
});

Deno.test("SharedTokens renews after a process that was killed while it renewed", async () => {
  await using world = await bench();
  const stored = await world.store(0);
  const held = Promise.withResolvers<void>();
  world.server.gate = held.promise;
  const dying = tokenProcess(world).spawn();
  await until(() => world.server.count("/oauth/token") === 1, { timeoutMs: 20_000 });
  world.server.gate = Promise.resolve();
  const waiting = world.open().get();
  dying.kill("SIGKILL");
  await Promise.all([dying.status, dying.stdout.cancel()]);
  const { access } = await waiting;
  held.resolve();
  assert.notEqual(access, stored.access);
  assert.equal(world.server.access.has(access), true);
  const left = await Array.fromAsync(Deno.readDir(`${world.stateFolder}/auth`), ({ name }) => name);
  assert.deepEqual(left.toSorted(), ["openai_codex.json", "openai_codex.json.lock"]);
});

Deno.test("SharedTokens uses what is still good when it cannot be renewed", async () => {
  await using world = await bench();
  const stored = await world.store(30_000);
  world.server.tokenStatus = 503;
  assert.equal((await world.open().get()).access, stored.access);
});

Deno.test("SharedTokens tells that the sign-in is void, without a token in its words", async () => {
  await using world = await bench();
  const { refresh, access } = await world.store(-1);
  const other = world.open();
  await other.get();
  await codexTokenFile(world.stateFolder, () => crypto.randomUUID())
    .write({ access, refresh, expires: 0 });
  const failure = world.open().get();
  await assert.rejects(failure, { code: "sign_in_refused", message: /The grant is void/ });
  const error: unknown = await failure.catch((thrown: unknown) => thrown);
  assert.doesNotMatch(Deno.inspect(error), /secret/);
});

Deno.test("SharedTokens tells how to sign in when nobody has", async () => {
  await using world = await bench();
  await assert.rejects(world.open().get(), {
    code: "sign_in_missing",
    message: /not signed in\. Run: provider login openai-codex/,
  });
});

Deno.test("SharedTokens recovers after a renewal that failed", async () => {
  await using world = await bench();
  await world.store(-1);
  const tokens = world.open();
  world.server.tokenStatus = 500;
  await assert.rejects(tokens.get(), { code: "sign_in_unreachable" });
  world.server.tokenStatus = 200;
  assert.ok(world.server.access.has((await tokens.get()).access));
});

Deno.test("SharedTokens renews what the server did not take", async () => {
  await using world = await bench();
  await world.store(10 * MINUTE_MS);
  const tokens = world.open();
  const refused = await tokens.get();
  tokens.reject(refused);
  const fresh = await tokens.get();
  assert.notEqual(fresh.access, refused.access);
  assert.equal(await tokens.get(), fresh);
});

Deno.test("CodexProvider renews a token that is not taken, and asks again", async () => {
  await using world = await bench();
  await using model = await ModelServer.start(({ headers }) =>
    headers["authorization"]?.includes("Bearer stale.") ? refuse(401, {}) : say("a")
  );
  const { clock, stateFolder, server } = world;
  const { refresh_token } = server.makeTokens();
  const options = { baseUrl: model.baseUrl, clock, stateFolder, signInUrl: server.url };
  const provider = await connectCodex(options, { access_token: "stale.x.y", refresh_token });
  assert.equal(responseOf(await askAll(provider)).content, "a");
  assert.equal(responseOf(await askAll(provider)).content, "a");
  assert.equal(model.requests.length, 3);
  assert.equal(server.count("/oauth/token"), 1);
});

Deno.test("CodexProvider says how to sign in when nobody has", async () => {
  await using world = await bench();
  const { clock, stateFolder, server } = world;
  const options = { baseUrl: "http://127.0.0.1:1", clock, stateFolder, signInUrl: server.url };
  const provider = await connectCodex(options, server.makeTokens());
  await codexTokenFile(stateFolder, () => "x").remove();
  const error = errorOf(await askAll(provider));
  assert.equal(error.code, "provider_auth");
  assert.match(error.userText, /Run: provider login openai-codex$/);
});

Deno.test("CopilotProvider buys one token for all calls at once, and another when it ends", async () => {
  await using world = await bench();
  await using model = await ModelServer.start(() => say("a"));
  const { clock, stateFolder, server } = world;
  const options = { baseUrl: model.baseUrl, clock, stateFolder, signInUrl: server.url };
  const provider = await connectCopilot(options);
  await Promise.all(Array.from({ length: 10 }, () => askAll(provider)));
  assert.equal(server.count("/copilot_internal/v2/token"), 1);
  assert.ok(
    model.requests.every(({ headers }) =>
      headers["authorization"] === "Bearer copilot-secret-1" &&
      headers["editor-version"] === "vscode/1.99.0"
    ),
  );
  await clock.advance(3_600_000);
  await askAll(provider);
  assert.equal(model.requests.at(-1)?.headers["authorization"], "Bearer copilot-secret-2");
});

Deno.test("CopilotProvider goes where its token says", async () => {
  await using folder = await temporaryFolder();
  const clock = new ManualClock();
  await using model = await ModelServer.start([say("a")]);
  await using server = new SignInServer({ now: () => clock.now(), copilotApi: model.baseUrl });
  const provider = await connectCopilot({
    baseUrl: "https://api.githubcopilot.com",
    clock,
    stateFolder: folder.path,
    signInUrl: server.url,
  });
  assert.equal(responseOf(await askAll(provider)).content, "a");
});

Deno.test("copilotTokens says that an account has no Copilot", async () => {
  await using world = await bench();
  const { clock, stateFolder, server } = world;
  const newId = () => crypto.randomUUID();
  await copilotTokenFile(stateFolder, newId).write({ access: "of-somebody-else" });
  const hosts = { web: server.url, api: server.url };
  await assert.rejects(copilotTokens(stateFolder, { clock, newId, hosts }).get(), {
    code: "sign_in_refused",
    message: /no Copilot$/,
  });
});

/** A process that asks for tokens. */
function tokenProcess(world: {
  readonly stateFolder: string;
  readonly server: SignInServer;
  readonly clock: ManualClock;
}): Deno.Command {
  return new Deno.Command(Deno.execPath(), {
    args: [
      "run",
      "-A",
      "--cached-only",
      fileURLToPath(new URL("./token_process.ts", import.meta.url)),
      world.stateFolder,
      world.server.url,
      String(world.clock.now()),
    ],
    stdout: "piped",
    stderr: "inherit",
  });
}
