import assert from "node:assert/strict";
import { join } from "node:path";
import { z } from "zod";
import { Harness } from "./harness.ts";

const TOKEN = "the-token";
const AUTH = { headers: { authorization: `Bearer ${TOKEN}` } };
const mediaSchema = z.array(z.object({ name: z.string(), type: z.string(), url: z.string() }));

/** Conversations as a gateway has them. */
function sessionsOf(held: Map<string, string>) {
  return {
    list: () => Promise.resolve([...held.keys()].map((key) => ({ key, updatedAtMs: 1_000 }))),
    read: (key: string) => {
      const text = held.get(key);
      return Promise.resolve(
        text === undefined ? null : [{ role: "user", text, atMs: 0 } as const],
      );
    },
    erase: (key: string) => {
      if (key === "websocket:busy") return Promise.resolve("busy" as const);
      return Promise.resolve(held.delete(key) ? "deleted" as const : "missing" as const);
    },
  };
}

Deno.test("Conversations are listed, read and deleted with a token, and not without", async () => {
  const held = new Map([["websocket:c1", "hello"], ["websocket:busy", "x"]]);
  await using harness = await Harness.ready({
    section: { token: TOKEN },
    sessions: sessionsOf(held),
  });
  const ask = (path: string, method: string = "GET") =>
    harness.request(`/api/sessions${path}`, { ...AUTH, method });
  assert.equal((await harness.request("/api/sessions")).status, 401);
  assert.equal((await harness.request(`/api/sessions?token=${TOKEN}`)).status, 200);
  const { sessions } = await (await ask("")).json();
  assert.deepEqual(sessions[0], { key: "websocket:c1", updated_at: "1970-01-01T00:00:01.000Z" });
  const read = await (await ask("/websocket%3Ac1/messages")).json();
  assert.partialDeepStrictEqual(read.messages, [{ role: "user", content: "hello" }]);
  assert.equal((await ask("/feishu%3Ac1/messages")).status, 404);
  assert.equal((await ask("/..%2F..%2Fetc/messages")).status, 400);
  assert.equal((await ask("/%zz/messages")).status, 400);
  assert.equal((await ask("/websocket%3Abusy", "DELETE")).status, 409);
  assert.deepEqual(await (await ask("/websocket%3Ac1", "DELETE")).json(), { deleted: true });
  assert.equal((await ask("/websocket%3Ac1/messages")).status, 404);
  assert.equal((await ask("/websocket%3Ac1/delete")).status, 404);
});

Deno.test("A channel that may not look at conversations says so", async () => {
  await using harness = await Harness.ready({ section: { token: TOKEN } });
  assert.equal((await harness.request("/api/sessions", AUTH)).status, 503);
});

Deno.test("Files come under addresses that only their readers know, without their paths", async () => {
  await using harness = await Harness.ready({ section: { token: TOKEN } });
  const { path: folder } = harness.folder;
  await Deno.writeTextFile(join(folder, "page.html"), "<script>alert(1)</script>");
  await Deno.writeFile(join(folder, "a b.png"), Uint8Array.of(1, 2, 3));
  const peer = harness.peer({ query: { token: TOKEN } });
  await peer.has("ready");
  peer.send({ type: "attach", chat_id: "chat-1" });
  await peer.has("attached");
  await harness.deliver({
    key: "k1",
    text: "Look: ![it](a%20b.png)",
    media: [join(folder, "page.html")],
  });
  const frame = await peer.has("message");
  assert.doesNotMatch(JSON.stringify(frame), new RegExp(folder));
  const [picture, page] = mediaSchema.parse(frame.media);
  assert.partialDeepStrictEqual(frame.media, [{ shown_as: "a%20b.png", bytes: 3 }]);
  const shown = await harness.request(picture?.url ?? "");
  assert.deepEqual([...await shown.bytes()], [1, 2, 3]);
  assert.equal(shown.headers.get("content-type"), "image/png");
  const kept = await harness.request(page?.url ?? "");
  assert.equal(kept.headers.get("content-type"), "application/octet-stream");
  assert.match(kept.headers.get("content-disposition") ?? "", /^attachment; .*page\.html/);
  assert.equal(kept.headers.get("x-content-type-options"), "nosniff");
  assert.equal((await harness.request("/media/guessed/page.html")).status, 404);
  await harness.letPass(25 * 3_600_000, 3_600_000);
  assert.equal((await harness.request(page?.url ?? "")).status, 404);
});

Deno.test("A file that was put in place of another one is not served", async () => {
  await using harness = await Harness.ready();
  const path = join(harness.folder.path, "notes.txt");
  await Deno.writeTextFile(path, "notes");
  const peer = await harness.member("alice");
  await harness.deliver({ key: "k1", text: "here", media: [path] });
  const [file] = mediaSchema.parse((await peer.has("message")).media);
  await Deno.remove(path);
  await Deno.symlink("/etc/hostname", path);
  assert.equal((await harness.request(file?.url ?? "")).status, 404);
});

Deno.test("What is nowhere is not found", async () => {
  await using harness = await Harness.ready();
  for (const path of ["/nothing", "/api", "/auth", "/../etc/passwd", "/"]) {
    assert.equal((await harness.request(path)).status, 404, path);
  }
});

Deno.test("Ten thousand tokens are out at most", async () => {
  await using harness = await Harness.ready({ section: { tokenIssuePath: "/auth" } });
  const { Tokens } = await import("../../../channels/websocket/access/tokens.ts");
  let secrets = 0;
  const tokens = new Tokens({
    clock: harness.clock,
    ttlMs: 1_000,
    newSecret: () => String(++secrets),
  });
  const grant = { clientId: null, opensApi: false };
  while (tokens.size < 10_000) tokens.issue(grant);
  assert.equal(tokens.issue(grant), null);
  await harness.letPass(1_000);
  assert.notEqual(tokens.issue(grant), null);
  assert.equal((await harness.request("/auth")).status, 200);
});
