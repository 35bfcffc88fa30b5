import assert from "node:assert/strict";
import { join } from "node:path";
import { SendPace } from "../../../channels/qq/send/pace.ts";
import { ManualClock } from "../../support/manual_clock.ts";
import { ALICE, GROUP, GUILD, Harness } from "./harness.ts";

const KEY = "turn-1:0";
const PNG = Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 1, 2, 3);
const MINUTE_MS = 60_000;

Deno.test.each(
  [
    ["plain", 0],
    ["markdown", 2],
  ] as const,
)("QQ answers in %s by messages of type %d", async (msgFormat, type) => {
  await using harness = await Harness.ready({ section: { msgFormat } });
  for (const where of [{}, { group: GROUP }]) {
    const { chatId, context } = await harness.asked(where);
    await harness.deliver({ key: chatId, chatId, context, text: "**Yes** `a_b`\n\n- one" });
    const [sent] = harness.platform.shown(chatId);
    assert.equal(sent?.answers, harness.gateway.inbounds.at(-1)?.platformId);
    assert.equal(sent?.text, type === 0 ? "Yes a_b\n\n• one" : "**Yes** `a_b`\n\n- one");
  }
  assert.partialDeepStrictEqual(harness.sends[0], { msg_type: type });
});

Deno.test("QQ numbers each part anew, and a repetition the same", async () => {
  await using harness = await Harness.ready();
  const { context } = await harness.asked();
  harness.platform.faults.plant("message", { kind: "lost_answer" });
  const showing = { key: KEY, context, text: "word ".repeat(1_500) };
  await assert.rejects(harness.deliver(showing), { code: "delivery_transient" });
  await harness.restart();
  assert.equal(await harness.lookUp(showing), "absent");
  await harness.deliver(showing);
  const numbers = harness.sends.map((body) => JSON.stringify(body).match(/"msg_seq":(\d+)/)?.[1]);
  assert.equal(numbers[0], numbers[1]);
  assert.equal(new Set(numbers).size, 2);
  assert.equal(harness.shown().length, 2);
});

Deno.test("QQ answers the latest message when the time of another is over", async () => {
  await using harness = await Harness.ready();
  const first = await harness.asked({ group: GROUP });
  await harness.letPass(6 * MINUTE_MS, 5_000);
  const second = await harness.asked({ group: GROUP });
  await harness.deliver({ key: KEY, ...first, text: "at last" });
  const [sent] = harness.platform.shown(GROUP);
  assert.equal(sent?.answers, second.context["message_id"]);
});

Deno.test("QQ keeps an answer whose time is over until somebody writes", async () => {
  await using harness = await Harness.ready();
  const asked = await harness.asked({ group: GROUP });
  await harness.letPass(6 * MINUTE_MS, 5_000);
  const showing = { key: KEY, ...asked, text: "at last" };
  await assert.rejects(harness.deliver(showing), { code: "delivery_transient" });
  await harness.asked({ group: GROUP });
  await harness.deliver(showing);
  assert.deepEqual(harness.shown(GROUP), ["at last"]);
});

Deno.test("QQ answers no message more often than it may, and pushes the rest", async () => {
  await using harness = await Harness.ready();
  harness.platform.sending.rights.mayPush = true;
  const { context } = await harness.asked();
  await harness.deliver({ key: KEY, context, text: "word ".repeat(4_500) });
  const sent = harness.platform.shown(ALICE);
  assert.deepEqual(sent.map(({ answers }) => answers !== null), [
    true,
    true,
    true,
    true,
    false,
    false,
  ]);
});

Deno.test("QQ finds another way when the platform counted more answers than it", async () => {
  await using harness = await Harness.ready();
  harness.platform.sending.rights.mayPush = true;
  const { context } = await harness.asked();
  for (const key of ["a", "b", "c", "d"]) await harness.deliver({ key, context, text: key });
  await harness.restart();
  await harness.deliver({ key: "e", context, text: "e" });
  assert.deepEqual(harness.shown(), ["a", "b", "c", "d", "e"]);
});

Deno.test("QQ does not say twice what it cannot know to have arrived", async () => {
  await using harness = await Harness.ready();
  harness.platform.sending.rights.mayPush = true;
  harness.platform.faults.plant("message", { kind: "lost_answer" });
  const showing = { key: KEY, text: "Hello" };
  for (let attempt = 0; attempt < 2; attempt++) {
    await assert.rejects(harness.deliver(showing), { code: "delivery_unknown" });
  }
  assert.equal(await harness.lookUp(showing), "cannot_tell");
  await harness.deliver({ ...showing, notice: "(again)" });
  assert.deepEqual(harness.shown(), ["Hello", "(again)", "Hello"]);
});

Deno.test("QQ is in doubt when the time to answer ended before a repetition", async () => {
  await using harness = await Harness.ready();
  const asked = await harness.asked({ group: GROUP });
  harness.platform.faults.plant("message", { kind: "lost_answer" });
  const showing = { key: KEY, ...asked, text: "Hello" };
  await assert.rejects(harness.deliver(showing), { code: "delivery_transient" });
  await harness.letPass(6 * MINUTE_MS, 5_000);
  // The platform knows the number still.
  await harness.deliver(showing);
  assert.deepEqual(harness.shown(GROUP), ["Hello"]);
  const other = { key: "turn-2:0", ...await harness.asked({ group: GROUP }), text: "Bye" };
  harness.platform.faults.plant("message", { kind: "status", status: 502 });
  await assert.rejects(harness.deliver(other), { code: "delivery_transient" });
  await harness.letPass(6 * MINUTE_MS, 5_000);
  await assert.rejects(harness.deliver(other), { code: "delivery_unknown" });
  assert.equal(await harness.lookUp(other), "cannot_tell");
});

Deno.test("QQ writes addresses so that they pass when the platform refuses them", async () => {
  await using harness = await Harness.ready({ section: { msgFormat: "markdown" } });
  harness.platform.sending.rights.hosts.add("listed.com");
  const { context } = await harness.asked();
  await harness.deliver({ key: "a", context, text: "See [it](https://listed.com/a)." });
  await harness.deliver({
    key: "b",
    context,
    text: "See [it](https://other.com/a) or www.other.org",
  });
  assert.deepEqual(harness.shown(), [
    "See [it](https://listed.com/a).",
    "See it (other[.]com/a) or www[.]other[.]org",
  ]);
});

Deno.test("QQ writes plain text, now and later, when it may write no Markdown", async () => {
  await using harness = await Harness.ready({ section: { msgFormat: "markdown" } });
  harness.platform.sending.rights.mayWriteMarkdown = false;
  const { context } = await harness.asked();
  await harness.deliver({ key: "a", context, text: "**one**" });
  await harness.deliver({ key: "b", context, text: "**two**" });
  assert.deepEqual(harness.shown(), ["one", "two"]);
  assert.equal(harness.sends.length, 3);
});

Deno.test("QQ cuts again what is too long for the platform", async () => {
  await using harness = await Harness.ready();
  harness.platform.sending.rights.textUnitsMax = 2_100;
  const { context } = await harness.asked();
  const words = Array.from({ length: 400 }, (_, index) => `word${index}`);
  await harness.deliver({ key: KEY, context, text: words.join(" ") });
  assert.deepEqual(harness.shown().join(" ").split(" "), words);
  assert.equal(harness.shown().length, 2);
});

Deno.test("QQ uploads files before the text: pictures without a name, others with theirs", async () => {
  await using harness = await Harness.ready();
  const { folder, platform } = harness;
  const media = ["a.png", "b.pdf"].map((name) => join(folder.path, name));
  for (const path of media) await Deno.writeFile(path, PNG);
  const asked = await harness.asked({ group: GROUP });
  await harness.deliver({ key: KEY, ...asked, text: "See", media: [...media, "/missing.txt"] });
  const uploads = platform.calls.filter(({ route }) => route === "upload").map(({ body }) => body);
  const file_data = PNG.toBase64();
  assert.deepEqual(uploads, [
    { file_type: 1, file_data, srv_send_msg: false },
    { file_type: 4, file_data, srv_send_msg: false, file_name: "b.pdf" },
  ]);
  const shown = platform.shown(GROUP);
  assert.deepEqual(shown.map(({ file }) => file?.type), [1, 4, undefined]);
  assert.match(shown[2]?.text ?? "", /^See\n\n\(Could not send missing\.txt: /);
  assert.deepEqual(
    Object.keys(JSON.parse(JSON.stringify(harness.sends[0]))["media"]),
    ["file_info"],
  );
});

Deno.test.each(
  [
    ["status", 502],
    ["status", 503],
  ] as const,
)(
  "QQ keeps a delivery whose upload fails with %s %d, and says nothing yet",
  async (kind, status) => {
    await using harness = await Harness.ready();
    const path = join(harness.folder.path, "a.pdf");
    await Deno.writeFile(path, PNG);
    const asked = await harness.asked();
    harness.platform.faults.plant("upload", { kind, status });
    const showing = { key: KEY, ...asked, media: [path] };
    await assert.rejects(harness.deliver(showing), { code: "delivery_transient" });
    assert.deepEqual(harness.sends, []);
    await harness.deliver(showing);
    assert.equal(harness.platform.shown(ALICE).length, 1);
  },
);

Deno.test("QQ sends a refused picture as a file, and says which file was refused", async () => {
  await using harness = await Harness.ready();
  const path = join(harness.folder.path, "a.png");
  await Deno.writeFile(path, PNG);
  const asked = await harness.asked();
  const refusal = { kind: "refusal", code: 850_019 } as const;
  harness.platform.faults.plant("upload", refusal);
  await harness.deliver({ key: "a", ...asked, media: [path] });
  assert.deepEqual(harness.platform.shown(ALICE).map(({ file }) => file?.type), [4]);
  harness.platform.faults.plant("upload", refusal, 2);
  await harness.deliver({ key: "b", ...asked, media: [path] });
  assert.equal(harness.shown()[1], "(Could not send a.png: QQ refused it)");
});

Deno.test("QQ says that a guild's chat takes no files", async () => {
  await using harness = await Harness.ready();
  const path = join(harness.folder.path, "a.png");
  await Deno.writeFile(path, PNG);
  const asked = await harness.asked({ guild: GUILD });
  await harness.deliver({ key: KEY, ...asked, text: "See", media: [path] });
  assert.match(harness.shown(GUILD)[0] ?? "", /^See\n\n\(Could not send a\.png: QQ takes no files/);
});

Deno.test("QQ sends a push to the group it is for, also after a restart", async () => {
  await using harness = await Harness.ready();
  harness.platform.sending.rights.mayPush = true;
  await harness.asked({ group: GROUP });
  await harness.asked({ guild: GUILD });
  await harness.restart();
  await harness.deliver({ key: "a", chatId: GROUP, text: "a reminder" });
  await harness.deliver({ key: "b", chatId: "1234", text: "another" }).catch(() => {});
  assert.deepEqual([harness.shown(GROUP), harness.shown(GUILD)], [["a reminder"], ["another"]]);
});

Deno.test("QQ keeps below the rates of pushes, those of a chat and of all", async () => {
  const clock = new ManualClock();
  const pace = new SendPace(clock);
  const times = new Map<string, number[]>();
  const startedMs = clock.now();
  const { signal } = new AbortController();
  const sends = ["a", "b"].flatMap((chatId) =>
    Array.from({ length: 20 }, () =>
      pace.run({ chatId, isPush: true }, signal, () => {
        times.set(chatId, [...times.get(chatId) ?? [], clock.now() - startedMs]);
        return Promise.resolve();
      }))
  );
  await clock.advance(2 * MINUTE_MS);
  await Promise.all(sends);
  const most = (all: readonly number[]): number =>
    Math.max(...all.map((from) => all.filter((at) => at >= from && at < from + MINUTE_MS).length));
  assert.ok(most(times.get("a") ?? []) <= 20);
  assert.ok(most([...times.values()].flat()) <= 30);
  assert.ok(most([...times.values()].flat()) >= 25);
});

Deno.test.each([
  { status: 400, code: 40_034_006, failure: "delivery_permanent" },
  { status: 400, code: 50_055_002, failure: "delivery_transient" },
  { status: 500, code: 11_300, failure: "delivery_transient" },
  { status: 200, code: 40_054_013, failure: "delivery_permanent" },
  { status: 429, code: 22_009, failure: "delivery_transient" },
])("QQ calls an answer of $status with code $code $failure", async ({ status, code, failure }) => {
  await using harness = await Harness.ready();
  harness.platform.faults.plant("message", { kind: "refusal", status, code });
  const asked = await harness.asked();
  await assert.rejects(harness.deliver({ key: KEY, ...asked, text: "Hello" }), { code: failure });
  assert.equal(harness.sends.length, 1);
});

Deno.test.each(["", "a/b", "../x"])("QQ has no chat %j", async (chatId) => {
  await using harness = await Harness.ready();
  await assert.rejects(harness.deliver({ key: KEY, chatId, text: "Hello" }), {
    code: "delivery_permanent",
  });
});

Deno.test("QQ never names the secret, the token or words in an error", async () => {
  await using harness = await Harness.ready();
  const { secret } = harness.platform;
  harness.platform.goOffline();
  const error = await harness.deliver({ key: KEY, text: "Hello secret words" })
    .then(() => null, (reason: unknown) => reason);
  assert.ok(error instanceof Error);
  for (let inner: unknown = error; inner instanceof Error; inner = inner.cause) {
    const told = `${inner.message} ${inner.stack}`;
    assert.doesNotMatch(told, new RegExp(`${secret}|token-|secret words|${ALICE}`));
  }
  harness.platform.comeBack();
});
