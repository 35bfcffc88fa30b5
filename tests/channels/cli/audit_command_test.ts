import assert from "node:assert/strict";
import { join } from "node:path";
import { openAudit } from "../../../actors/gateway/rights/open_audit.ts";
import { systemWorld } from "../../../actors/gateway/adapters/system_world.ts";
import { loadConfig } from "../../../actors/config/load_config.ts";
import { home, run } from "./_provider_home.ts";

/** A home with a log of two calls. */
async function homeWithLog() {
  const place = await home({});
  const { folder } = place;
  const loaded = await loadConfig({
    source: {
      readTextFile: () => Promise.resolve("{}"),
      env: { TROUPE_HOME: folder },
      homeDir: folder,
      cwd: folder,
    },
    manifests: [],
  });
  await using log = await openAudit(loaded, { ...systemWorld(), needsOf: () => undefined });
  for (const tool of ["exec", "read_file"]) {
    log.record({
      ...{ kind: "call", channel: "cli", sender: "user", session: "cli:direct", turn: "t" },
      ...{ call: "c", tool, arguments: {}, outcome: "ok", detail: "", resultChars: 1 },
      durationMs: 1,
    });
  }
  return place;
}

Deno.test("audit shows records by tool and time, and as JSON", async () => {
  await using place = await homeWithLog();
  const { code, out } = await run(place, "audit", "--tool", "exec", "--since", "1h");
  assert.equal(code, 0);
  assert.match(out, /^1 .* exec \{\} {2}ok, 1 characters, 1 ms\n$/);
  const json = (await run(place, "audit", "--json", "--limit", "1")).out;
  assert.equal(JSON.parse(json).tool, "read_file");
  assert.equal((await run(place, "audit", "--since", "soon")).code, 2);
});

Deno.test("audit verify tells a whole log from a changed one", async () => {
  await using place = await homeWithLog();
  const whole = await run(place, "audit", "verify");
  assert.equal(whole.code, 0);
  const hash = /Last hash: (\w{64})/.exec(whole.out)?.[1] ?? "";
  assert.equal((await run(place, "audit", "verify", "--expect", hash)).code, 0);
  assert.equal((await run(place, "audit", "verify", "--expect", "0".repeat(64))).code, 1);
  const path = join(place.folder, "state", "audit", "audit-000001.jsonl");
  const text = await Deno.readTextFile(path);
  await Deno.writeTextFile(path, text.replace("read_file", "list_dir_"));
  const { code, out } = await run(place, "audit", "verify", "--json");
  assert.equal(code, 1);
  assert.partialDeepStrictEqual(JSON.parse(out), { state: "broken", line: 2 });
});
