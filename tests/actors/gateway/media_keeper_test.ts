import assert from "node:assert/strict";
import { join } from "node:path";
import { mediaFolderAt } from "../../../actors/gateway/adapters/media_folder.ts";
import { missingFolderLines } from "../../../actors/gateway/extra_folders.ts";
import { lacksFolder } from "../../../actors/gateway/adapters/local_folders.ts";
import { type KeptFile, MediaKeeper, overdue } from "../../../actors/gateway/media_keeper.ts";
import { ManualClock } from "../../support/manual_clock.ts";
import { temporaryFolder } from "../../support/temporary_folder.ts";
import { until } from "../../support/until.ts";

const DAY_MS = 24 * 3_600_000;
const NOW_MS = 100 * DAY_MS;

function file(path: string, days: number, megabytes = 1): KeptFile {
  return { path, modifiedAtMs: NOW_MS - days * DAY_MS, bytes: megabytes * 1_000_000 };
}

Deno.test.each([
  {
    what: "files that are too old",
    files: [file("new", 1), file("edge", 30), file("old", 30.1)],
    gone: ["old"],
  },
  {
    what: "the oldest of what is too much",
    files: [file("a", 5, 40), file("b", 2, 40), file("c", 9, 40)],
    gone: ["a", "c"],
  },
  {
    what: "nothing of the last day",
    files: [file("huge", 0.5, 500), file("also", 0.9, 500), file("old", 2)],
    gone: ["old"],
  },
])("Of received files go: $what", ({ files, gone }) => {
  const bounds = { mediaDays: 30, mediaMegabytes: 60 };
  assert.deepEqual(overdue(files, bounds, NOW_MS).map(({ path }) => path).toSorted(), gone);
});

Deno.test("Without bounds all received files stay", () => {
  const files = [file("old", 99, 5_000), file("new", 0, 5_000)];
  assert.deepEqual(overdue(files, { mediaDays: 0, mediaMegabytes: 0 }, NOW_MS), []);
});

Deno.test("The media folder is cleared soon after the start and again later, and links are let be", async () => {
  await using folder = await temporaryFolder();
  const media = join(folder.path, "media");
  const bot = join(media, "feishu", "second");
  await Deno.mkdir(bot, { recursive: true });
  const outside = join(folder.path, "outside");
  await Deno.mkdir(outside);
  const lay = async (path: string, days: number) => {
    await Deno.writeTextFile(path, "x");
    const seconds = NOW_MS / 1_000 - days * 86_400;
    await Deno.utime(path, seconds, seconds);
  };
  await lay(join(outside, "mine.txt"), 90);
  await Deno.symlink(outside, join(media, "link"));
  await lay(join(bot, "old.pdf"), 40);
  await lay(join(bot, "new.pdf"), 3);
  const clock = new ManualClock(NOW_MS);
  await using _ = new MediaKeeper(clock, mediaFolderAt(media), {
    mediaDays: 30,
    mediaMegabytes: 0,
  });
  const names = () => Array.fromAsync(Deno.readDir(bot), ({ name }) => name);
  assert.equal((await names()).length, 2);
  clock.advance(60_000);
  await until(async () => (await names()).length === 1, { what: "the end of the old file" });
  assert.deepEqual(await names(), ["new.pdf"]);
  clock.advance(28 * DAY_MS);
  await until(async () => (await names()).length === 0, { what: "the end of the other" });
  assert.equal(await Deno.readTextFile(join(outside, "mine.txt")), "x");
});

Deno.test("A media folder that is not there yet, or cannot be read, holds nobody up", async () => {
  await using folder = await temporaryFolder();
  assert.deepEqual(await mediaFolderAt(join(folder.path, "none")).list(), []);
  const clock = new ManualClock(NOW_MS);
  let looks = 0;
  const list = () => (looks++, Promise.reject(new Error("no")));
  const bounds = { mediaDays: 1, mediaMegabytes: 1 };
  await using _ = new MediaKeeper(clock, { list, remove: () => Promise.resolve() }, bounds);
  clock.advance(60_000);
  clock.advance(DAY_MS);
  await until(() => looks >= 2, { what: "another look" });
});

Deno.test("Folders of the configuration that are not there are named at the start", async () => {
  await using folder = await temporaryFolder();
  const file = join(folder.path, "file");
  await Deno.writeTextFile(file, "");
  const folders = { readableFolders: [folder.path, "~", "/no/such"], writableFolders: [file] };
  assert.deepEqual(missingFolderLines(folders, lacksFolder), [
    'Warning: tools.readableFolders names "/no/such", and there is no such folder: tools find ' +
    "nothing there",
    `Warning: tools.writableFolders names "${file}", and there is no such folder: tools find ` +
    "nothing there",
  ]);
});
