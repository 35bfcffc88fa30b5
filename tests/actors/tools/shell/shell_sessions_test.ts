import assert from "node:assert/strict";
import { systemClock, systemNewId } from "../../../../actors/kernel/adapters/system_clock.ts";
import { nextTurn } from "../../../../actors/kernel/adapters/event_loop.ts";
import type { JsonObject } from "../../../../actors/kernel/json.ts";
import { seededRandom } from "../../../../actors/kernel/random.ts";
import { FairScheduler } from "../../../../actors/kernel/scheduler.ts";
import { ActorSystem } from "../../../../actors/kernel/system.ts";
import { execTool } from "../../../../actors/tools/exec.ts";
import { listExecSessionsTool, writeStdinTool } from "../../../../actors/tools/exec_sessions.ts";
import {
  shellSessions,
  type ShellSessionsOptions,
} from "../../../../actors/tools/shell/shell_sessions.ts";
import { Shell } from "../../../../actors/tools/shell/shell.ts";
import type { Tool, ToolContext } from "../../../../actors/tools/tool.ts";
import { type ToolBench, toolBench } from "../../../support/tool_context.ts";
import { until } from "../../../support/until.ts";

interface SessionsBench extends AsyncDisposable {
  readonly tools: ToolBench;
  /** Calls a tool in a conversation; errors are rejections. */
  call(name: string, args: JsonObject, sessionKey?: string): Promise<string>;
  /** Calls `exec` so that the command runs on, and gives the session's id. */
  start(command: string, sessionKey?: string): Promise<string>;
}

async function sessionsBench(
  options: Omit<ShellSessionsOptions, "open"> = {},
): Promise<SessionsBench> {
  await using opening = new AsyncDisposableStack();
  const bench = opening.use(await toolBench());
  const { processes } = bench.context;
  assert.ok(processes instanceof Shell);
  const system = opening.use(
    new ActorSystem({
      clock: systemClock,
      random: seededRandom(1),
      newId: systemNewId,
      scheduler: new FairScheduler(nextTurn),
    }),
  );
  const sessions = system.spawn(
    shellSessions({ open: (command) => processes.open(command), ...options }),
  );
  const tools = new Map<string, Tool>(
    [execTool(60, sessions), writeStdinTool(sessions), listExecSessionsTool(sessions)]
      .map((tool) => [tool.name, tool]),
  );
  const owned = opening.move();
  const call = async (name: string, args: JsonObject, sessionKey = "feishu:oc_1") => {
    const context: ToolContext = {
      ...bench.context,
      origin: { ...bench.context.origin, sessionKey },
    };
    const result = await tools.get(name)?.call(args, context);
    assert.ok(typeof result?.content === "string");
    return result.content;
  };
  return {
    tools: bench,
    call,
    async start(command, sessionKey) {
      const text = await call("exec", { command, yield_time_ms: 100 }, sessionKey);
      const id = /Session: (sh_\w+)/.exec(text)?.[1];
      assert.ok(id !== undefined, text);
      return id;
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

Deno.test("exec with a yield time gives the whole result of a command that ends in time", async () => {
  await using bench = await sessionsBench();
  const text = await bench.call("exec", { command: "echo hi; exit 3", yield_time_ms: 20_000 });
  assert.equal(text, "hi\nExit code: 3");
  assert.equal(await bench.call("list_exec_sessions", {}), "No sessions");
});

Deno.test("A command runs on as a session that is written to, read, and told its end", async () => {
  await using bench = await sessionsBench();
  const command = 'echo ready; read -r line; echo "got $line"; exit 4';
  const begun = await bench.call("exec", { command, yield_time_ms: 100 });
  const [, id = ""] = /Session: (sh_\w+)/.exec(begun) ?? [];
  assert.match(await bench.call("list_exec_sessions", {}), new RegExp(`^${id}: runs, 0 s, echo`));
  const text = await bench.call("write_stdin", {
    session_id: id,
    input: "hello\n",
    yield_time_ms: 20_000,
  });
  // A busy machine may be ready only when it is written to; either way it says so once.
  const late = begun.includes("ready") ? "" : "ready\n";
  assert.equal(text, `${late}got hello\nExit code: 4`);
  await assert.rejects(bench.call("write_stdin", { session_id: id }), /Cannot find the session/);
});

Deno.test("write_stdin returns as soon as the text that is waited for appears", async () => {
  await using bench = await sessionsBench();
  const id = await bench.start("sleep 0.3; echo listening on 80; sleep 60");
  const text = await bench.call("write_stdin", {
    session_id: id,
    wait_for: "listening",
    yield_time_ms: 30_000,
  });
  assert.match(text, /^listening on 80\nStill running/);
});

Deno.test("write_stdin ends the input, and then the command", async () => {
  await using bench = await sessionsBench();
  const id = await bench.start("cat; echo over; sleep 60");
  const text = await bench.call("write_stdin", {
    session_id: id,
    input: "rest",
    close_stdin: true,
    wait_for: "over",
    yield_time_ms: 30_000,
  });
  assert.match(text, /^restover\nStill running/);
  const end = await bench.call("write_stdin", {
    session_id: id,
    terminate: true,
    yield_time_ms: 30_000,
  });
  assert.match(end, /ended on request[\s\S]*Ended by a signal/);
  assert.equal(await bench.call("list_exec_sessions", {}), "No sessions");
});

Deno.test("A session is seen by the conversation that started it alone", async () => {
  await using bench = await sessionsBench();
  const id = await bench.start("sleep 60", "feishu:oc_1");
  assert.equal(await bench.call("list_exec_sessions", {}, "feishu:oc_2"), "No sessions");
  for (const extra of [{}, { terminate: true }, { input: "x" }]) {
    const other = bench.call("write_stdin", { session_id: id, ...extra }, "feishu:oc_2");
    await assert.rejects(other, /Cannot find the session/);
  }
  assert.match(await bench.call("list_exec_sessions", {}), /runs/);
});

Deno.test("There are so many sessions for a conversation, and so many in all", async () => {
  await using bench = await sessionsBench({ perConversationMax: 2, sessionsMax: 3 });
  await bench.start("sleep 60", "a:1");
  await bench.start("sleep 60", "a:1");
  await assert.rejects(bench.start("sleep 60", "a:1"), /this conversation has 2/);
  await bench.start("sleep 60", "a:2");
  await assert.rejects(bench.start("sleep 60", "a:3"), /the gateway has too many/);
});

Deno.test("A session that nobody looks at is ended", async () => {
  await using bench = await sessionsBench({ idleMs: 300 });
  const id = await bench.start("sleep 60");
  await until(async () => await bench.call("list_exec_sessions", {}) === "No sessions");
  await assert.rejects(bench.call("write_stdin", { session_id: id }), /Cannot find the session/);
});

Deno.test("A session ends at its own time limit and says so", async () => {
  await using bench = await sessionsBench();
  const text = await bench.call("exec", { command: "sleep 60", timeout: 1, yield_time_ms: 30_000 });
  assert.match(text, /time limit[\s\S]*Ended by a signal/);
});

Deno.test("A flood of output keeps its end and counts what was lost", async () => {
  await using bench = await sessionsBench();
  const id = await bench.start("sleep 0.5; seq 1 200000; echo over; sleep 60");
  const text = await bench.call("write_stdin", {
    session_id: id,
    wait_for: "over",
    yield_time_ms: 30_000,
  });
  assert.match(text, /^… \d+ earlier characters were not kept …\n/);
  assert.match(text, /200000\nover\nStill running/);
  assert.ok(text.length < 11_000);
});

Deno.test("A turn that is stopped takes the command with it that has not answered yet", async () => {
  await using bench = await sessionsBench();
  const stop = new AbortController();
  const { context } = bench.tools;
  await using system = new ActorSystem({
    clock: systemClock,
    random: seededRandom(1),
    newId: systemNewId,
    scheduler: new FairScheduler(nextTurn),
  });
  const { processes } = context;
  assert.ok(processes instanceof Shell);
  const sessions = system.spawn(shellSessions({ open: (command) => processes.open(command) }));
  const running = execTool(60, sessions).call(
    { command: "touch started; sleep 60", yield_time_ms: 50_000 },
    { ...context, signal: stop.signal },
  );
  const ended = assert.rejects(running);
  await until(async () => await context.files.info("started") !== null);
  stop.abort(new Error("stopped by the user"));
  await ended;
  await until(async () => {
    const result = await listExecSessionsTool(sessions).call({}, context);
    return result.content === "No sessions" || /has ended/.test(String(result.content));
  });
});

Deno.test("A refused command makes no session", async () => {
  await using bench = await sessionsBench();
  const refused = bench.call("exec", { command: "rm -rf x", yield_time_ms: 1_000 });
  await assert.rejects(refused, /not allowed/);
  assert.equal(await bench.call("list_exec_sessions", {}), "No sessions");
});

Deno.test("The end of the gateway ends its sessions", async () => {
  let pid = 0;
  {
    await using bench = await sessionsBench();
    const text = await bench.call("exec", {
      command: "echo pid $$; exec sleep 64.5",
      yield_time_ms: 300,
    });
    pid = Number(/pid (\d+)/.exec(text)?.[1]);
    assert.ok(pid > 0, text);
  }
  assert.throws(() => Deno.kill(pid, "SIGCONT"));
});
