import assert from "node:assert/strict";
import { join } from "node:path";
import { getLogger } from "@logtape/logtape";
import { LogFiles, logFiles, newestLog } from "../../../../actors/gateway/adapters/log_files.ts";
import { configureLogging } from "../../../../actors/gateway/adapters/logging.ts";
import { logLines } from "../../../../channels/cli/adapters/log_reader.ts";
import { isWanted, parseLogLine } from "../../../../channels/cli/log_text.ts";
import { temporaryFolder } from "../../../support/temporary_folder.ts";

async function linesIn(folder: string): Promise<string[]> {
  const lines = await Array.fromAsync(logLines(folder));
  return lines.filter((line) => line !== null);
}

Deno.test("The log turns over within its bounds, and keeps the newest lines in order", async () => {
  await using folder = await temporaryFolder();
  const logs = join(folder.path, "logs");
  {
    using files = new LogFiles(logs, { bytesMax: 30, filesMax: 3 });
    for (let number = 0; number < 100; number++) files.write(`line number ${number}\n`);
  }
  const lines = await linesIn(logs);
  assert.deepEqual(lines, [94, 95, 96, 97, 98, 99].map((number) => `line number ${number}`));
  const paths = await logFiles(logs);
  assert.equal(paths.length, 3);
  for (const path of paths) {
    const { size, mode } = await Deno.stat(path);
    assert.ok(size <= 30);
    assert.equal((mode ?? 0) & 0o777, 0o600);
  }
});

Deno.test("A log that cannot be written says so once it can be", async () => {
  await using folder = await temporaryFolder();
  const logs = join(folder.path, "logs");
  await Deno.writeTextFile(logs, "a file where the folder should be");
  using files = new LogFiles(logs);
  files.write("lost\n");
  files.write("lost as well\n");
  await Deno.remove(logs);
  files.write("kept\n");
  const [loss, kept] = await linesIn(logs);
  assert.match(parseLogLine(loss ?? "")?.text ?? "", /2 lines could not be written/);
  assert.equal(kept, "kept");
});

Deno.test("Records stand in the file as JSON without secrets, and are chosen by level and time", async () => {
  await using folder = await temporaryFolder();
  let secrets = ["hidden-one"];
  using files = new LogFiles(folder.path);
  const nobody = { isVerbose: false, hasColors: false, write: () => {} };
  configureLogging({ ...nobody, keep: (line) => files.write(line), secrets: () => secrets });
  const logger = getLogger(["troupe", "test"]);
  logger.info("The key is {key}", { key: "hidden-one" });
  secrets = ["hidden-two", "hidden-one"];
  logger.warn("The new key is {key}", { key: "hidden-two", turn: "t1" });
  logger.debug("Too small to be kept");
  configureLogging({ ...nobody, secrets: () => [] });

  const records = (await linesIn(folder.path)).map((line) => parseLogLine(line));
  assert.equal(records.length, 2);
  assert.doesNotMatch(records.map((record) => record?.line).join(), /hidden/);
  assert.match(records[1]?.line ?? "", /"turn":"t1"/);
  assert.match(records[1]?.text ?? "", / WARN {2}test: The new key is "\*\*\*"$/);
  const loud = records.filter((record) =>
    record !== null && isWanted(record, { level: "warning" })
  );
  assert.equal(loud.length, 1);
  const [first] = records;
  assert.ok(first && isWanted(first, { sinceMs: first.atMs }));
  assert.ok(first && !isWanted(first, { sinceMs: first.atMs + 1 }));
  assert.equal(parseLogLine('{"@timestamp":"2026'), null);
});

Deno.test("A log that is followed goes on over a turn of its files, and ends when asked", async () => {
  await using folder = await temporaryFolder();
  using files = new LogFiles(folder.path, { bytesMax: 40, filesMax: 3 });
  files.write("there before\n");
  const ending = new AbortController();
  const seen: string[] = [];
  let pauses = 0;
  const pause = () => {
    pauses++;
    if (pauses === 1) files.write("comes later\n");
    if (pauses === 2) {
      files.write("the file is full now\n");
      files.write("in a new one\n");
    }
    if (pauses === 4) ending.abort();
    return Promise.resolve();
  };
  for await (const line of logLines(folder.path, { signal: ending.signal, pause })) {
    if (line !== null) seen.push(line);
  }
  assert.deepEqual(seen, ["there before", "comes later", "the file is full now", "in a new one"]);
  assert.equal((await logFiles(folder.path)).at(-1), newestLog(folder.path));
});
