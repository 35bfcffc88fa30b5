import assert from "node:assert/strict";
import * as fc from "fast-check";
import { serverPrefixes, toolNames } from "../../../../actors/tools/mcp/tool_names.ts";

function named(raws: readonly string[], server = "x", servers: readonly string[] = [server]) {
  const prefixes = serverPrefixes(servers);
  const prefix = prefixes.get(server) ?? "";
  const names = toolNames(raws.map((raw) => ({ key: raw, raw })), {
    prefix,
    others: [...prefixes.values()],
  });
  return raws.map((raw) => names.get(raw) ?? "");
}

Deno.test("Plain names are joined as they are", () => {
  assert.deepEqual(named(["list_files", "read-file"], "git"), [
    "mcp_git_list_files",
    "mcp_git_read-file",
  ]);
});

Deno.test("A name with odd letters gives way to the one that it would be taken for", () => {
  const [plain, odd, other] = named(["a_b", "a.b", "a b"]);
  assert.equal(plain, "mcp_x_a_b");
  assert.match(odd ?? "", /^mcp_x_a_b_[0-9a-f]{6}$/);
  assert.notEqual(odd, other);
  assert.deepEqual(named(["a b", "a.b", "a_b"]).toSorted(), [plain, odd, other].toSorted());
});

Deno.test("A tool that begins like another server's is told apart from it", () => {
  const servers = ["a", "a_b"];
  const [ours] = named(["b_c"], "a", servers);
  const [theirs] = named(["c"], "a_b", servers);
  assert.equal(theirs, "mcp_a_b_c");
  assert.match(ours ?? "", /^mcp_a_b_c_[0-9a-f]{6}$/);
});

Deno.test("All names are distinct and in the form that every provider takes", () => {
  const raw = fc.oneof(fc.string({ minLength: 1, unit: "grapheme" }), fc.constantFrom("天气", "…"));
  const long = fc.string({ minLength: 60, maxLength: 200, unit: fc.constantFrom("a", "_", ".") });
  const names = fc.uniqueArray(fc.oneof(raw, long), { minLength: 1, maxLength: 30 });
  fc.assert(
    fc.property(names, names, (servers, tools) => {
      const all = servers.flatMap((server) => named(tools, server, servers));
      assert.equal(new Set(all).size, all.length);
      for (const name of all) assert.match(name, /^[A-Za-z_][\w-]{0,63}$/);
    }),
    { numRuns: 60 },
  );
});
