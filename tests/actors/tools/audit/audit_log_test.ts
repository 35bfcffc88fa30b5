import assert from "node:assert/strict";
import { join } from "node:path";
import fc from "fast-check";
import { DiskSessionFiles } from "../../../../actors/session/adapters/disk_files.ts";
import { auditFolder } from "../../../../actors/tools/audit/adapters/audit_folder.ts";
import type { CallEntry } from "../../../../actors/tools/audit/audit_entry.ts";
import { AuditLog } from "../../../../actors/tools/audit/audit_log.ts";
import { checkAudit, readAudit } from "../../../../actors/tools/audit/audit_reader.ts";
import { ManualClock } from "../../../support/manual_clock.ts";
import { temporaryFolder } from "../../../support/temporary_folder.ts";
import { settle, until } from "../../../support/until.ts";

const SECRET = "hunter2hunter2";
const FIRST = "audit-000001.jsonl";

function call(change: Partial<CallEntry> = {}): CallEntry {
  return {
    kind: "call",
    channel: "feishu",
    sender: "ou_1",
    session: "feishu:oc_1",
    turn: "t1",
    call: "c1",
    tool: "exec",
    arguments: { command: "ls" },
    outcome: "ok",
    detail: "",
    resultChars: 12,
    durationMs: 3,
    ...change,
  };
}

function filesIn(folder: string) {
  const disk = new DiskSessionFiles(folder);
  return {
    ...auditFolder(folder),
    append: (name: string, text: string) => disk.append(name, text),
    replace: (name: string, text: string) => disk.replace(name, text),
  };
}

function openLog(folder: string, change: { readonly fileCharsMax?: number } = {}) {
  return AuditLog.open({
    files: filesIn(folder),
    clock: new ManualClock(),
    secrets: [SECRET],
    needsOf: (tool) => tool === "exec" ? { run: "shell" } : undefined,
    ...change,
  });
}

/** Writes `count` calls in one batch. */
async function written(folder: string, count: number): Promise<void> {
  await using log = await openLog(folder);
  for (let index = 0; index < count; index++) log.record(call({ call: `c${index}` }));
}

/** Writes `count` calls, each in a batch of its own, into files of about two. */
async function writtenApart(folder: string, count: number): Promise<void> {
  for (let index = 0; index < count; index++) {
    await using log = await openLog(folder, { fileCharsMax: 600 });
    log.record(call({ call: `c${index}` }));
  }
}

Deno.test("The audit log keeps calls in order, with rights and without secrets", async () => {
  await using folder = await temporaryFolder();
  {
    await using log = await openLog(folder.path);
    log.record(call({ arguments: { command: `echo ${SECRET}`, apiKey: "abc", n: 1 } }));
    log.record(call({ tool: "other", outcome: "error", detail: `bad ${SECRET}` }));
  }
  const [first, second] = await readAudit(auditFolder(folder.path), { limit: 10 });
  assert.deepEqual(first?.arguments, { command: "echo ***", apiKey: "***", n: 1 });
  assert.deepEqual(first?.rights, ["run shell"]);
  assert.deepEqual([second?.detail, second?.rights], ["bad ***", undefined]);
  assert.equal(((await Deno.stat(join(folder.path, FIRST))).mode ?? 0) & 0o777, 0o600);
  const check = await checkAudit(auditFolder(folder.path));
  assert.partialDeepStrictEqual(check, { state: "sound", records: 2, files: 1 });
});

Deno.test("The audit log bounds long and deep arguments", async () => {
  await using folder = await temporaryFolder();
  let deep: { readonly [key: string]: unknown } = {};
  for (let level = 0; level < 100; level++) deep = { deep };
  {
    await using log = await openLog(folder.path);
    const many = Array.from({ length: 10_000 }, (_, index) => index);
    log.record(call({ arguments: JSON.parse(JSON.stringify({ a: "x".repeat(1e6), many, deep })) }));
  }
  assert.ok((await Deno.stat(join(folder.path, FIRST))).size < 5_000);
});

Deno.test("The audit log goes on over restarts and full files", async () => {
  await using folder = await temporaryFolder();
  await writtenApart(folder.path, 10);
  await writtenApart(folder.path, 10);
  const check = await checkAudit(auditFolder(folder.path));
  assert.partialDeepStrictEqual(check, { state: "sound", records: 20 });
  assert.ok(check.state === "sound" && check.files > 3, "several files");
  const records = await readAudit(auditFolder(folder.path), { limit: 3 });
  assert.deepEqual(records.map(({ n, call }) => `${n} ${call}`), ["18 c7", "19 c8", "20 c9"]);
});

Deno.test("The audit log takes away a line that a crash cut off, and notes it", async () => {
  await using folder = await temporaryFolder();
  await written(folder.path, 2);
  await Deno.writeTextFile(join(folder.path, FIRST), '{"n":3,"at":"2026', { append: true });
  assert.equal((await checkAudit(auditFolder(folder.path))).state, "sound");
  await written(folder.path, 1);
  const records = await readAudit(auditFolder(folder.path), { limit: 10 });
  assert.match(records[2]?.text ?? "", /cut off \(17 characters\)/);
  assert.partialDeepStrictEqual(await checkAudit(auditFolder(folder.path)), {
    state: "sound",
    records: 4,
  });
});

Deno.test.each(
  [
    ["a changed word", ([a, b, c]: string[]) => [a, b?.replace("ls", "rm"), c], 2],
    ["a missing line", ([a, , c]: string[]) => [a, c], 2],
    ["a line twice", ([a, b, c]: string[]) => [a, b, b, c], 3],
    ["two lines swapped", ([a, b, c]: string[]) => [b, a, c], 1],
    ["a foreign line", ([a, b, c]: string[]) => [a, b, "{}", c], 3],
  ] as const,
)("A check of the audit log finds %s", async (_, change, line) => {
  await using folder = await temporaryFolder();
  await written(folder.path, 3);
  const path = join(folder.path, FIRST);
  const lines = (await Deno.readTextFile(path)).trimEnd().split("\n");
  await Deno.writeTextFile(path, `${change(lines).join("\n")}\n`);
  assert.partialDeepStrictEqual(await checkAudit(auditFolder(folder.path)), {
    state: "broken",
    file: FIRST,
    line,
  });
});

Deno.test("A check of the audit log finds a missing file, and an end that was cut off", async () => {
  await using folder = await temporaryFolder();
  await writtenApart(folder.path, 9);
  const reading = auditFolder(folder.path);
  const before = await checkAudit(reading);
  assert.ok(before.state === "sound");
  const names = (await reading.list()).toSorted();
  const [, second = ""] = names;
  await Deno.remove(join(folder.path, names.at(-1) ?? ""));
  assert.equal((await checkAudit(reading)).state, "sound");
  assert.match(
    JSON.stringify(await checkAudit(reading, before.hash)),
    /end of the log was cut off/,
  );
  await Deno.remove(join(folder.path, second));
  assert.partialDeepStrictEqual(await checkAudit(reading), {
    state: "broken",
    file: second,
    reason: "the file is missing",
  });
});

Deno.test("A check of the audit log finds any changed byte", async () => {
  await using folder = await temporaryFolder();
  await written(folder.path, 4);
  const path = join(folder.path, FIRST);
  const text = await Deno.readTextFile(path);
  await fc.assert(fc.asyncProperty(fc.nat(text.length - 2), async (index) => {
    const changed = text[index] === "a" ? "b" : "a";
    await Deno.writeTextFile(path, text.slice(0, index) + changed + text.slice(index + 1));
    assert.equal((await checkAudit(auditFolder(folder.path))).state, "broken");
  }));
});

Deno.test("The audit log waits out a disk that takes nothing, and loses no entry", async () => {
  await using folder = await temporaryFolder();
  const clock = new ManualClock();
  const disk = filesIn(folder.path);
  let isFull = true;
  const log = await AuditLog.open({
    files: {
      ...disk,
      append: (name, text) =>
        isFull ? Promise.reject(new TypeError("disk full")) : disk.append(name, text),
    },
    clock,
    secrets: [],
    needsOf: () => undefined,
  });
  log.record(call({ call: "a" }));
  await settle();
  log.record(call({ call: "b" }));
  isFull = false;
  await clock.advance(5_000);
  await until(async () => (await readAudit(disk, { limit: 9 })).length === 2);
  await log[Symbol.asyncDispose]();
  assert.equal((await checkAudit(disk)).state, "sound");
});

Deno.test("Audit records are found by session, tool and time", async () => {
  await using folder = await temporaryFolder();
  const clock = new ManualClock();
  {
    await using log = await AuditLog.open({
      files: filesIn(folder.path),
      clock,
      secrets: [],
      needsOf: () => undefined,
    });
    log.record(call({ session: "a", tool: "exec" }));
    log.record(call({ session: "b", tool: "grep" }));
    await clock.advance(60_000);
    log.record(call({ session: "a", tool: "grep" }));
  }
  const reading = auditFolder(folder.path);
  const numbers = async (filter: object) =>
    (await readAudit(reading, { limit: 10, ...filter })).map(({ n }) => n);
  assert.deepEqual(await numbers({ session: "a" }), [1, 3]);
  assert.deepEqual(await numbers({ tool: "grep" }), [2, 3]);
  assert.deepEqual(await numbers({ sinceMs: clock.now() }), [3]);
  assert.deepEqual(await numbers({ limit: 2 }), [2, 3]);
});
