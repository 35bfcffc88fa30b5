import assert from "node:assert/strict";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { logFolder, newestLog } from "../../../actors/gateway/adapters/log_files.ts";
import { temporaryFolder } from "../../support/temporary_folder.ts";
import { until } from "../../support/until.ts";

const MAIN = fileURLToPath(new URL("../../../mod.ts", import.meta.url));
const RECORD = {
  "@timestamp": "2026-01-01T00:00:00.000Z",
  ...{ level: "INFO", message: "here", logger: "troupe", properties: {} },
};

Deno.test("logs --follow ends once nobody reads its pipe any more", async () => {
  await using home = await temporaryFolder();
  const folder = logFolder(join(home.path, "state"));
  await Deno.mkdir(folder, { recursive: true });
  const line = `${JSON.stringify(RECORD)}\n`;
  await Deno.writeTextFile(newestLog(folder), line);
  await using child = new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--cached-only", "--no-check", MAIN, "logs", "--follow"],
    env: { TROUPE_HOME: home.path, NO_COLOR: "1" },
    ...{ stdin: "null", stdout: "piped", stderr: "null" },
  }).spawn();
  const reader = child.stdout.getReader();
  assert.match(new TextDecoder().decode((await reader.read()).value), /here/);
  await reader.cancel();
  let hasEnded = false;
  const ended = child.status.finally(() => hasEnded = true);
  // What it writes next finds the pipe closed.
  await until(async () => {
    await Deno.writeTextFile(newestLog(folder), line, { append: true });
    return hasEnded;
  }, { what: "the command's end" });
  assert.equal((await ended).code, 0);
});
