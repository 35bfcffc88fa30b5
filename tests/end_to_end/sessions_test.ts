import assert from "node:assert/strict";
import { join } from "node:path";
import { ModelServer, say } from "../simulators/model_server.ts";
import { startInProcess } from "../support/gateway_in_process.ts";
import { configFor, GatewayHome } from "../support/gateway_process.ts";
import { replayHome } from "../support/replays.ts";
import { until } from "../support/until.ts";
import { main } from "../../channels/cli/main.ts";

interface Ran {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a command of the terminal in this process, on the configuration in `home`. */
async function run(home: GatewayHome, ...args: readonly string[]): Promise<Ran> {
  let stdout = "";
  let stderr = "";
  const place = ["--config", join(home.path, "config.json"), "--workspace", home.workspace];
  const code = await main([...args, ...place], {
    write: (text) => void (stdout += text),
    writeError: (text) => void (stderr += text),
    isInteractive: false,
    hasColors: false,
  });
  return { code, stdout, stderr };
}

/** The replay of a home, which ends each end-to-end test, finds a changed and an unrecorded line. */
async function noticesWhatIsAmiss(home: GatewayHome, stem: string): Promise<void> {
  const fileOf = (name: string) => join(home.workspace, "sessions", `${name}.jsonl`);
  const text = await Deno.readTextFile(fileOf(stem));
  const replay = () => replayHome(join(home.path, "state"), home.workspace);
  assert.equal(await replay(), 2);
  await Deno.writeTextFile(fileOf(stem), text.replace("Nothing much.", "Nothing."));
  await assert.rejects(replay(), /"divergence"/);
  await Deno.writeTextFile(fileOf(stem), text);
  await Deno.writeTextFile(fileOf("probe_unrecorded"), text);
  await assert.rejects(replay(), /nothing is recorded of it/);
  await Deno.remove(fileOf("probe_unrecorded"));
}

Deno.test("Conversations are looked through, found and deleted, with a gateway and without", async () => {
  await using home = await GatewayHome.make();
  await using model = await ModelServer.start([
    say("A fine name for a parrot."),
    say("Nothing much."),
    say("I begin anew."),
  ]);
  const config = configFor({ model });
  await Deno.writeTextFile(join(home.path, "config.json"), JSON.stringify(config));
  {
    await using running = await startInProcess(home, config);
    const { probe } = running;
    const answered = async (chat: string, said: string, text: string) => {
      await probe.say(chat, said);
      await until(() => probe.textsOf(chat).includes(text), { what: text, timeoutMs: 20_000 });
    };
    await answered("p1", "My parrot is called Kiwi", "A fine name for a parrot.");
    await answered("p2", "what is up", "Nothing much.");
    await until(async () => (await home.session("probe_p2")).length === 3);

    const list = await run(home, "sessions", "list");
    assert.match(list.stdout, /^probe:p2 .*\nprobe:p1 /);
    await until(async () => (await run(home, "sessions", "search", "parrot")).code === 0);
    const found = await run(home, "sessions", "search", "kiwi", "--json");
    assert.deepEqual(
      JSON.parse(found.stdout).hits.map(({ text }: { readonly text: string }) => text),
      ["My parrot is called Kiwi"],
    );
    const deleted = await run(home, "sessions", "delete", "probe:p1");
    assert.deepEqual([deleted.code, deleted.stdout], [0, "Deleted probe:p1\n"]);
    assert.deepEqual(await home.session("probe_p1"), []);
    assert.equal((await run(home, "sessions", "search", "kiwi")).code, 1, "it is forgotten");
    const again = await run(home, "sessions", "delete", "probe:p1");
    assert.equal(again.code, 1);
    assert.match(again.stderr, /^Error: Cannot find a conversation "probe:p1"/);
    await answered("p1", "who are you\u001b[2J", "I begin anew.");
    const users = model.requests.at(-1)?.body.messages.filter(({ role }) => role === "user");
    assert.equal(users?.length, 1);
  }
  const shown = await run(home, "sessions", "show", "probe:p2");
  assert.match(shown.stdout, /Messages: 2 \(1 user, 1 assistant\)[^]*user: what is up\n/);
  const hostile = await run(home, "sessions", "show", "probe:p1");
  assert.match(hostile.stdout, /user: who are you␛\[2J\n/);
  const page = await run(home, "sessions", "export", "probe:p2", "--md");
  assert.match(page.stdout, /^# probe:p2\n[^]*## Assistant.*\n\nNothing much\.\n$/);
  const raw = await run(home, "sessions", "export", "probe_p2");
  assert.equal(
    raw.stdout,
    await Deno.readTextFile(join(home.workspace, "sessions/probe_p2.jsonl")),
  );
  const search = await run(home, "sessions", "search", "what is up", "--since", "1d");
  assert.match(search.stdout, /probe:p2, the person\] what is up \(sessions\/probe_p2\.jsonl:2\)/);
  const empty = await run(home, "sessions", "search", "");
  assert.equal(empty.code, 2);
  assert.match(empty.stderr, /Cannot search for nothing/);
  const mistaken = await run(home, "sessions", "search", "up", "--since", "soon");
  assert.equal(mistaken.code, 2);
  assert.match(mistaken.stderr, /^Error: Cannot read --since "soon"/);
  const again = await run(home, "sessions", "replay", "probe:p2");
  assert.match(again.stdout, /^Replayed 1 turns .* of probe:p2: the transcript is identical\n$/);
  await noticesWhatIsAmiss(home, "probe_p2");
  const fork = await run(home, "sessions", "fork", "probe:p2", "2", "--as", "plan-b");
  assert.match(
    fork.stdout,
    /^Copied probe:p2 up to line 2 as cli:plan-b;.*\nGo on with: .*plan-b\n$/,
  );
  assert.match((await run(home, "sessions", "show", "cli:plan-b")).stdout, /2 {2}.*Nothing much/);
  const taken = await run(home, "sessions", "fork", "probe:p2", "2", "--as", "cli:plan-b");
  assert.match(taken.stderr, /^Error: Cannot copy to "cli:plan-b"/);
  const amiss = await run(home, "sessions", "fork", "probe:p2", "1");
  assert.match(amiss.stderr, /line 1: it is no reply; there is no reply before it/);
  const nameless = await run(home, "sessions", "fork", "probe:p2", "2", "--as", " ");
  assert.deepEqual([fork.code, taken.code, amiss.code, nameless.code], [0, 1, 2, 2]);
  assert.equal((await run(home, "sessions", "delete", "probe:p2", "--json")).code, 0);
  assert.deepEqual(await home.session("probe_p2"), []);
  assert.equal((await run(home, "sessions", "export", "probe:p2")).code, 1);
  const forgotten = await run(home, "sessions", "search", "what is up");
  assert.doesNotMatch(forgotten.stdout, /probe_p2/);
});
