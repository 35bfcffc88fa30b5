import assert from "node:assert/strict";
import { SessionBench } from "../../support/session_bench.ts";
import { until } from "../../support/until.ts";

/** What the model was shown at its newest call, the system prompt and times left out. */
function shown(bench: SessionBench): string[] {
  const messages = bench.provider.requests.at(-1)?.messages ?? [];
  return messages.slice(1).map(({ role, content }) =>
    `${role} ${String(content).replace(/^\[Runtime[^]*\[\/Runtime context\]\n\n/, "")}`
  );
}

Deno.test("Session takes its last exchange back with /undo, and keeps it in the file", async () => {
  await using bench = new SessionBench({
    script: ["one", { calls: [{ name: "exec", id: "c1" }] }, "two", "three"],
    tools: { exec: { run: () => "made a file" } },
  });
  for (const text of ["first", "second  thing", "/undo", "third"]) {
    await bench.say(text);
    await bench.quiet();
  }
  const [, , undone = ""] = bench.replies();
  assert.match(undone, /^Took back “second thing” and what I answered\. .*file\. What tools did/);
  assert.match(undone, /used were: exec\.$/);
  assert.deepEqual(shown(bench), ["user first", "assistant one", "user third"]);
  const kept = bench.story();
  assert.ok(kept.includes("tool c1 made a file") && kept.includes("assistant two"));
});

Deno.test("Session takes one exchange back with each /undo, until there is none", async () => {
  await using bench = new SessionBench({ script: ["one", "two", "three"] });
  for (const text of ["first", "second", "/undo", "/undo", "/undo", "third"]) {
    await bench.say(text);
    await bench.quiet();
  }
  const said = bench.replies().slice(2, 5);
  assert.match(said[0] ?? "", /^Took back “second”/);
  assert.match(said[1] ?? "", /^Took back “first”/);
  assert.equal(said[2], "There is nothing here that I could take back.");
  assert.deepEqual(shown(bench), ["user third"]);
});

Deno.test("Session stops the turn that runs, and takes it back, with /undo", async () => {
  const never = Promise.withResolvers<void>();
  await using bench = new SessionBench({
    script: ["one", { text: "half", after: never.promise }, "three"],
  });
  await bench.say("first");
  await bench.quiet();
  await bench.say("second");
  await until(() => bench.provider.running === 1);
  await bench.say("/undo");
  await bench.quiet();
  assert.match(bench.replies().at(-1) ?? "", /^Took back “second”, which had no answer yet\./);
  await bench.say("third");
  await bench.quiet();
  assert.deepEqual(shown(bench), ["user first", "assistant one", "user third"]);
  assert.equal((await bench.journal.counts()).inbounds.stopped, 1);
});

Deno.test("Session still knows after a restart what was taken back", async () => {
  await using before = new SessionBench({ script: ["one", "two"] });
  for (const text of ["first", "second", "/undo"]) {
    await before.say(text);
    await before.quiet();
  }
  await using after = new SessionBench({ script: ["three"], disk: before.crash() });
  await after.say("third");
  await after.quiet();
  assert.deepEqual(shown(after), ["user first", "assistant one", "user third"]);
});

Deno.test("Session says so where /undo would take back what another program wrote", async () => {
  const lines = [
    { _type: "metadata", key: "feishu:oc_1", metadata: {}, last_consolidated: 0 },
    { role: "user", content: "of old" },
    { role: "assistant", content: "an answer" },
  ];
  const text = lines.map((line) => `${JSON.stringify(line)}\n`).join("");
  await using before = new SessionBench();
  const disk = { ...before.crash(), files: { "feishu_oc_1.jsonl": text } };
  await using bench = new SessionBench({ disk, script: ["hello"] });
  await bench.say("/undo");
  await bench.quiet();
  assert.match(bench.replies()[0] ?? "", /another program/);
  await bench.say("hi");
  await bench.quiet();
  assert.deepEqual(shown(bench), ["user of old", "assistant an answer", "user hi"]);
});

Deno.test("Whoever may speak in a group takes back what another person said there", async () => {
  await using bench = new SessionBench({ script: ["one", "two", "three"] });
  await bench.say("hers", { senderId: "ou_anna" });
  await bench.quiet();
  await bench.say("his", { senderId: "ou_ben" });
  await bench.quiet();
  for (const senderId of ["ou_anna", "ou_ben"]) {
    await bench.say("/undo", { senderId });
    await bench.quiet();
  }
  const [, , first, second] = bench.replies();
  assert.match(first ?? "", /^Took back “his” and what I answered/, "all see what is gone");
  assert.match(second ?? "", /^Took back “hers” and what I answered/);
  await bench.say("again", { senderId: "ou_anna" });
  await bench.quiet();
  assert.deepEqual(shown(bench), ["user again"]);
});

Deno.test("Session says that files stay which an undone turn wrote", async () => {
  const files = new Map<string, string>();
  await using bench = new SessionBench({
    script: [{ calls: [{ name: "write_file", id: "c1" }] }, "written"],
    tools: {
      write_file: {
        run: () => {
          files.set("note.md", "text");
          return "ok";
        },
      },
    },
  });
  for (const text of ["write it down", "/undo"]) {
    await bench.say(text);
    await bench.quiet();
  }
  assert.match(bench.replies()[1] ?? "", /files stay as they are; used were: write_file\.$/);
  assert.equal(files.get("note.md"), "text");
});

Deno.test("Session takes back what was said since a summary, and nothing before it", async () => {
  const said = (role: string, content: string, n: number) => ({ role, content, line_id: `t:${n}` });
  const lines = [
    { _type: "metadata", key: "feishu:oc_1", metadata: {}, last_consolidated: 2 },
    ...[said("user", "of old", 0), said("assistant", "an answer", 1)],
    ...[said("user", "newer", 2), said("assistant", "another", 3)],
  ];
  const text = lines.map((line) => `${JSON.stringify(line)}\n`).join("");
  await using before = new SessionBench();
  const disk = { ...before.crash(), files: { "feishu_oc_1.jsonl": text } };
  await using bench = new SessionBench({ disk, script: ["hello"] });
  for (const command of ["/undo", "/undo"]) {
    await bench.say(command);
    await bench.quiet();
  }
  const [taken, refused] = bench.replies();
  assert.match(taken ?? "", /^Took back “newer”/);
  assert.match(refused ?? "", /summed up, and only the summary is left/);
  await bench.say("hi");
  await bench.quiet();
  assert.deepEqual(shown(bench), ["user hi"]);
});
