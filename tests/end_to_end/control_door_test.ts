import assert from "node:assert/strict";
import { join } from "node:path";
import { connectControl } from "../../actors/gateway/adapters/control_socket.ts";
import { askDoor } from "../../actors/gateway/control_client.ts";
import { statusRequest } from "../../actors/gateway/control_requests.ts";
import { systemClock } from "../../actors/kernel/adapters/system_clock.ts";
import { stopRequest } from "../../channels/cli/chat_requests.ts";
import { terminalPlace } from "../../channels/cli/terminal_events.ts";
import { GatewayHome, GatewayProcess, runTroupe, writeConfig } from "../support/gateway_process.ts";
import { TroupeCommand } from "../support/troupe_command.ts";
import { until } from "../support/until.ts";
import { lastUserText, ModelServer, say } from "../simulators/model_server.ts";

function echo(): Promise<ModelServer> {
  return ModelServer.start((request) =>
    say("echo ", lastUserText(request).split("\n").at(-1) ?? "")
  );
}

async function peerOf(home: GatewayHome) {
  const peer = await connectControl(join(home.path, "state"));
  assert.ok(peer, "the gateway opens");
  return peer;
}

Deno.test("One gateway serves all who come to its door, and keeps out who must not", async (t) => {
  await using home = await GatewayHome.make();
  await using model = await echo();
  await using gateway = await GatewayProcess.start(home, { model });

  await t.step(
    "A second gateway is refused in one line that names the first, with exit code 2",
    async () => {
      const { code, stderr } = await runTroupe(["gateway"], home.path);
      assert.equal(code, 2);
      assert.match(
        stderr,
        new RegExp(
          `^Error: Cannot use state folder "${home.path}/state": process ${gateway.pid} ` +
            `\\(troupe gateway, since [^)]+\\) uses it; stop that one first, or .*--config\\n$`,
        ),
      );
    },
  );

  await t.step("status tells people and scripts of the running gateway", async () => {
    const text = await runTroupe(["status"], home.path);
    assert.equal(text.code, 0);
    assert.match(text.stdout, new RegExp(`^Gateway: running, ok \\(process ${gateway.pid}, `));
    const json = JSON.parse((await runTroupe(["status", "--json"], home.path)).stdout);
    assert.equal(json.running, true);
    assert.equal(json.workspace, home.workspace);
    assert.equal(json.health.channels.cli.state, "ready");
  });

  await t.step(
    "agent asks through the gateway that runs, and the gateway keeps the conversation",
    async () => {
      const { code, stdout } = await runTroupe(["agent", "-m", "你好"], home.path);
      assert.deepEqual([code, stdout], [0, "echo 你好\n"]);
      assert.deepEqual(await home.transcript("cli_direct"), ["user: 你好", "assistant: echo 你好"]);
    },
  );

  await t.step("Many agents ask one gateway at once, each gets its own answer", async () => {
    const names = ["a", "b", "c", "d"];
    const results = await Promise.all(
      names.map((name) => runTroupe(["agent", "-s", name, "-m", `I am ${name}`], home.path)),
    );
    assert.deepEqual(
      results.map(({ stdout }) => stdout),
      names.map((name) => `echo I am ${name}\n`),
    );
  });

  await t.step("agent does not use another workspace than the gateway that runs", async () => {
    const args = ["agent", "-m", "hi", "-w", "/tmp/elsewhere"];
    const { code, stderr } = await runTroupe(args, home.path);
    assert.equal(code, 1);
    assert.match(stderr, /^Error: Cannot use workspace "\/tmp\/elsewhere": [^\n]*\n$/);
  });

  await t.step("Garbage, floods and silence at the door harm nobody", async () => {
    const path = join(home.path, "state", "control.sock");
    const connections = await Promise.all(
      Array.from({ length: 40 }, () => Deno.connect({ transport: "unix", path })),
    );
    const flood = new Uint8Array(64 * 1024).fill(120);
    await Promise.all(connections.map(async (connection, n) => {
      try {
        if (n % 4 === 0) await connection.write(crypto.getRandomValues(new Uint8Array(60_000)));
        if (n % 4 === 1) { for (let m = 0; m < 40; m++) await connection.write(flood); }
        if (n % 4 === 2) await connection.write(new TextEncoder().encode('{"v":1,"request":'));
      } catch {
        // cut off, as it should be
      }
    }));
    const { stdout } = await runTroupe(["agent", "-m", "still there?"], home.path);
    assert.equal(stdout, "echo still there?\n");
    for (const connection of connections) connection.close();
  });

  await t.step(
    "A gateway with another configuration is kept out of a workspace that is in use",
    async () => {
      await using other = await GatewayHome.make();
      await writeConfig(other, {});
      const args = ["gateway", "--workspace", home.workspace];
      const { code, stderr } = await runTroupe(args, other.path);
      assert.equal(code, 2);
      assert.match(stderr, /^Error: Cannot use workspace [^\n]*--workspace\n$/);
      assert.ok(stderr.includes(`process ${gateway.pid} `));
      assert.equal(await gateway.stop(), 0);
      const { code: asked } = await runTroupe(
        ["agent", "-m", "/help", ...args.slice(1)],
        other.path,
      );
      assert.equal(asked, 0);
    },
  );
});

Deno.test("After a kill -9 neither lock nor socket is in the way of the next start", async () => {
  await using home = await GatewayHome.make();
  {
    await using gateway = await GatewayProcess.start(home, {});
    await gateway.kill();
  }
  const left = await Array.fromAsync(Deno.readDir(join(home.path, "state")), ({ name }) => name);
  assert.ok(left.includes("control.sock"), "the kill left the socket");
  const { stdout } = await runTroupe(["status"], home.path);
  assert.match(stdout, /^Gateway: not running\n/);
  await using gateway = await GatewayProcess.start(home, {});
  const { pid } = await askDoor(await peerOf(home), statusRequest, {}, systemClock);
  assert.equal(pid, gateway.pid);
});

Deno.test("What an agent asked goes on without it, and the next one sees the answer", async () => {
  await using home = await GatewayHome.make();
  await using model = await ModelServer.start([{
    steps: [{ type: "pause", until: "go" }, { type: "text", text: "late answer" }],
  }]);
  await using _gateway = await GatewayProcess.start(home, { model });
  {
    await using agent = new TroupeCommand({ home: home.path, args: ["agent", "-m", "slow one"] });
    await model.request(0);
    agent.signal("SIGINT");
    assert.equal(await agent.ended(), 130);
    assert.match(agent.stderr, /The gateway goes on with it/);
  }
  model.release("go");
  await until(async () => (await home.transcript("cli_direct")).length === 2);
  await using next = new TroupeCommand({ home: home.path, args: ["agent"] });
  await next.shows("late answer\n");
  await next.endInput();
  assert.equal(await next.ended(), 0);
});

Deno.test("A stop at the door ends a conversation's turn", async () => {
  await using home = await GatewayHome.make();
  await using model = await ModelServer.start([{ steps: [{ type: "stall" }] }]);
  await using _gateway = await GatewayProcess.start(home, { model });
  await using agent = new TroupeCommand({ home: home.path, args: ["agent", "-m", "for ever"] });
  await model.request(0);
  const place = terminalPlace(undefined);
  const { text } = await askDoor(await peerOf(home), stopRequest, { place }, systemClock);
  assert.match(text, /stopped/i);
  assert.equal(await agent.ended(), 0);
});

Deno.test("agent says so when the gateway dies under it", async () => {
  await using home = await GatewayHome.make();
  await using model = await ModelServer.start([{ steps: [{ type: "stall" }] }]);
  await using gateway = await GatewayProcess.start(home, { model });
  await using agent = new TroupeCommand({ home: home.path, args: ["agent", "-m", "for ever"] });
  await model.request(0);
  await gateway.kill();
  assert.equal(await agent.ended(), 1);
  assert.match(agent.stderr, /^Error: Cannot go on: [^\n]*\n$/);
});
