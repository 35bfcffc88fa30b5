import assert from "node:assert/strict";
import fc from "fast-check";
import {
  nanobotFileNames,
  nanobotSessionKey,
  sessionFileName,
  sessionKeyOf,
} from "../../../actors/session/session_name.ts";

Deno.test.each([
  ["cli:direct", "cli_direct.jsonl"],
  ["unified:default", "unified_default.jsonl"],
  ["feishu:oc_abc123", "feishu_oc_abc123.jsonl"],
  ["heartbeat", "heartbeat.jsonl"],
  ["telegram:-100:topic:7", "telegram_-100%3Atopic%3A7.jsonl"],
  ["telegram:1_2", "telegram_1_2.jsonl"],
  ["telegram_1:2", "telegram%5F1_2.jsonl"],
  ["cli:../../etc", "cli_..%2F..%2Fetc.jsonl"],
  ["cli:小明", "cli_%E5%B0%8F%E6%98%8E.jsonl"],
  ["cli:", "cli_.jsonl"],
  ["", ".jsonl"],
])("sessionFileName of %s is %s", (key, name) => {
  assert.equal(sessionFileName(key), name);
  assert.equal(sessionKeyOf(name), key);
});

const anyKey = fc.oneof(
  fc.string({ unit: "binary", maxLength: 20 }),
  fc.array(fc.constantFrom("a", ":", "_", "%", "%5F", "%u", "D800", "\ud800", "/", ".", "~", "小"))
    .map((p) => p.join("")),
);

Deno.test("sessionKeyOf gives back the key of every file name", () => {
  fc.assert(fc.property(anyKey, (key) => {
    assert.equal(sessionKeyOf(sessionFileName(key)), key);
  }));
});

Deno.test("sessionFileName holds only characters that every file system takes", () => {
  fc.assert(fc.property(anyKey, (key) => {
    assert.match(sessionFileName(key), /^[A-Za-z0-9._%-]*\.jsonl$/);
  }));
});

Deno.test("sessionFileName keeps long keys apart and short enough", () => {
  const long = "feishu:" + "题".repeat(500);
  const names = new Set([long, `${long}a`, `${long}\ud800`, `${long}\ud801`].map(sessionFileName));
  assert.equal(names.size, 4);
  for (const name of names) {
    assert.ok(name.length < 220);
    assert.equal(sessionKeyOf(name), null);
  }
});

Deno.test.each(["notes.txt", "a_b.jsonl.corrupt", "a b.jsonl", "a_%zz.jsonl", "a_%41.jsonl"])(
  "sessionKeyOf takes %s for no session",
  (name) => {
    assert.equal(sessionKeyOf(name), null);
  },
);

Deno.test.each([
  ["telegram:-100:7", ["telegram_-100_7.jsonl", "dGVsZWdyYW06LTEwMDo3.jsonl"]],
  ["cli:direct", ["cli_direct.jsonl", "Y2xpOmRpcmVjdA.jsonl"]],
  ['a:b/c\\d|e?f*g<h>i"j', ["a_b_c_d_e_f_g_h_i_j.jsonl", "YTpiL2NcZHxlP2YqZzxoPmkiag.jsonl"]],
  [`cli:${"长".repeat(81)}`, [`cli_${"长".repeat(81)}.jsonl`]],
  [`cli:${"长".repeat(82)}`, []],
  ["cli:a\0b", ["Y2xpOmEAYg.jsonl"]],
])("nanobot's names of the file of %s are %s", (key, names) => {
  assert.deepEqual(nanobotFileNames(key), names);
});

Deno.test.each([
  ["cli_direct.jsonl", "cli:direct"],
  ["telegram_-100_topic_7.jsonl", "telegram:-100_topic_7"],
  ["Y2xpOmRpcmVjdA.jsonl", "cli:direct"],
  ["ZmVpc2h1OuWwj-aYjg.jsonl", "feishu:小明"],
  ["notes.jsonl", "notes"],
])("nanobot takes %s for the conversation %s", (name, key) => {
  assert.equal(nanobotSessionKey(name), key);
});
