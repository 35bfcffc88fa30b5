import assert from "node:assert/strict";
import { join } from "node:path";
import { z } from "zod";
import { temporaryFolder } from "../../support/temporary_folder.ts";
import {
  connectControl,
  type ControlTransport,
  listenControl,
} from "../../../actors/gateway/adapters/control_socket.ts";
import { query } from "../../../actors/gateway/control.ts";
import { askDoor } from "../../../actors/gateway/control_client.ts";
import { ControlDoor } from "../../../actors/gateway/control_door.ts";
import { answers } from "../../../actors/gateway/control_handler.ts";
import { systemClock } from "../../../actors/kernel/adapters/system_clock.ts";

const shape = z.object({ text: z.string() });
const echoRequest = query("echo", { params: shape, result: shape });
const handlers = [answers(echoRequest, (params) => Promise.resolve(params))];
const TRANSPORTS: readonly ControlTransport[] = ["unix", "tcp"];

async function openDoor(stateFolder: string, transport?: ControlTransport): Promise<ControlDoor> {
  const listener = await listenControl(stateFolder, transport);
  return new ControlDoor({ listener, handlers, clock: systemClock, version: "1.2.3" });
}

async function echo(stateFolder: string, text: string): Promise<string> {
  const peer = await connectControl(stateFolder);
  assert.ok(peer, "somebody opens");
  return (await askDoor(peer, echoRequest, { text }, systemClock)).text;
}

Deno.test.each(TRANSPORTS)("A door by %s answers many clients at once", async (transport) => {
  await using folder = await temporaryFolder();
  await using _door = await openDoor(folder.path, transport);
  const texts = Array.from({ length: 50 }, (_, n) => `${n} ${"long ".repeat(20_000)}`);
  assert.deepEqual(await Promise.all(texts.map((text) => echo(folder.path, text))), texts);
});

Deno.test.each(TRANSPORTS)(
  "A door by %s is its owner's alone and goes when it closes",
  async (transport) => {
    await using folder = await temporaryFolder();
    const door = await openDoor(folder.path, transport);
    const [entry] = await Array.fromAsync(Deno.readDir(folder.path));
    const { mode } = await Deno.lstat(join(folder.path, entry?.name ?? ""));
    assert.equal((mode ?? 0) & 0o777, 0o600);
    await door[Symbol.asyncDispose]();
    assert.deepEqual(await Array.fromAsync(Deno.readDir(folder.path)), []);
    assert.equal(await connectControl(folder.path), null);
  },
);

Deno.test.each(TRANSPORTS)(
  "What a killed process left of a door by %s is in nobody's way",
  async (transport) => {
    await using folder = await temporaryFolder();
    await using _left = await listenControl(folder.path, transport);
    await using _door = await openDoor(folder.path);
    assert.equal(await echo(folder.path, "new"), "new");
  },
);

Deno.test("Nobody opens where no gateway ever ran", async () => {
  await using folder = await temporaryFolder();
  assert.equal(await connectControl(join(folder.path, "state")), null);
});

Deno.test("A state folder whose path is too long for a socket gets a door by port", async () => {
  await using folder = await temporaryFolder();
  const deep = join(folder.path, "x".repeat(120));
  await Deno.mkdir(deep);
  await using door = await openDoor(deep);
  assert.match(door.place, /^127\.0\.0\.1:\d+$/);
  assert.equal(await echo(deep, "deep"), "deep");
});

Deno.test("A client with a line that never ends is cut off", async () => {
  await using folder = await temporaryFolder();
  await using _door = await openDoor(folder.path);
  const peer = await connectControl(folder.path);
  assert.ok(peer);
  const flood = async () => {
    for (let n = 0; n < 64; n++) await peer.connection.write("x".repeat(64 * 1024));
  };
  const [, chunks] = await Promise.all([
    flood().catch(() => {}),
    Array.fromAsync(peer.connection.bytes, (chunk) => new TextDecoder().decode(chunk)),
  ]);
  peer.connection.close();
  assert.match(chunks.join(""), /^({"error":{"code":"control_garbled".*}\n)?$/);
  assert.equal(await echo(folder.path, "next"), "next");
});

Deno.test({
  name: "A door in a folder of another user is told with what to do",
  ignore: Deno.uid() === 0 || Deno.build.os === "windows", // nothing is closed to root
  async fn() {
    await using folder = await temporaryFolder();
    await Deno.chmod(folder.path, 0o000);
    await assert.rejects(connectControl(folder.path), {
      code: "control_unreachable",
      message: /another user's; .*TROUPE_HOME/,
    });
    await Deno.chmod(folder.path, 0o700);
  },
});
