import assert from "node:assert/strict";
import { MediaStore } from "../../../../channels/media/adapters/media_store.ts";
import type { FeishuLink, IncomingFile } from "../../../../channels/feishu/link.ts";
import { Lookups } from "../../../../channels/feishu/lookups.ts";
import { Downloads, type Wanted } from "../../../../channels/feishu/receive/downloads.ts";
import { ManualClock } from "../../../support/manual_clock.ts";
import { temporaryFolder } from "../../../support/temporary_folder.ts";
import { settle } from "../../../support/until.ts";

const WANTED: Wanted = { kind: "file", key: "k", name: "a.bin", messageId: "om_1", index: 0 };

/** A platform that answers every download with `makeFile`. */
function linkTo(makeFile: () => IncomingFile | Promise<IncomingFile>): FeishuLink {
  return {
    request: () => Promise.resolve({ code: 0 }),
    download: async (_request, take) => await take(await makeFile()),
    connect: () => Promise.resolve({ state: "closed" }),
  };
}

function downloads(folder: string, link: FeishuLink, bytesMax?: number): Downloads {
  return new Downloads({
    lookups: new Lookups(link),
    store: new MediaStore(folder, () => "attempt"),
    clock: new ManualClock(),
    signal: new AbortController().signal,
    ...(bytesMax !== undefined && { bytesMax }),
  });
}

function fileOf(chunks: number, length: number | null, onCancel = () => {}): IncomingFile {
  let left = chunks;
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      if (left-- > 0) controller.enqueue(new Uint8Array(1_000));
      else controller.close();
    },
    cancel: onCancel,
  });
  return { body, name: "", contentType: "", length };
}

Deno.test.each([
  { name: "that announces its size", length: 5_000 },
  { name: "that lies about its size", length: 10 },
  { name: "that tells no size", length: null },
])("Downloads refuses a file $name and is too large", async ({ length }) => {
  await using folder = await temporaryFolder();
  let cancelled = 0;
  const link = linkTo(() => fileOf(5, length, () => cancelled++));
  const result = await downloads(folder.path, link, 2_000).fetch(WANTED);
  assert.deepEqual(result, { state: "failed", reason: "larger than 0 MB" });
  assert.equal(cancelled, 1, "the rest is not read");
  assert.deepEqual(await Array.fromAsync(Deno.readDir(folder.path)), []);
});

Deno.test("Downloads keeps a file of exactly the size that is allowed", async () => {
  await using folder = await temporaryFolder();
  const result = await downloads(folder.path, linkTo(() => fileOf(2, null)), 2_000).fetch(WANTED);
  assert.deepEqual(result, { state: "ok", path: `${folder.path}/om_1-a.bin` });
  assert.equal((await Deno.stat(`${folder.path}/om_1-a.bin`)).size, 2_000);
});

Deno.test("Downloads fetches four files at once at most, and all in the end", async () => {
  await using folder = await temporaryFolder();
  const gate = Promise.withResolvers<void>();
  let running = 0;
  let most = 0;
  const link = linkTo(async () => {
    most = Math.max(most, ++running);
    await gate.promise;
    running--;
    return fileOf(1, null);
  });
  const all = downloads(folder.path, link);
  const fetching = Array.from({ length: 20 }, (_, index) => all.fetch({ ...WANTED, index }));
  await settle();
  gate.resolve();
  assert.ok((await Promise.all(fetching)).every(({ state }) => state === "ok"));
  assert.equal(most, 4);
});
