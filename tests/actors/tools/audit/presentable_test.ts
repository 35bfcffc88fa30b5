import assert from "node:assert/strict";
import type { JsonObject } from "../../../../actors/kernel/json.ts";
import { presentableArguments } from "../../../../actors/tools/audit/presentable.ts";

const SECRET = "hunter2hunter2";

Deno.test.each<JsonObject>([
  { password: SECRET },
  { headers: { Authorization: [SECRET] } },
  { headers: { "X-Api-Key": { value: SECRET } } },
  { list: [{ deep: [{ token: SECRET }] }] },
  { command: `curl https://me:${SECRET}@host.example/x` },
  { command: `curl -H "Authorization: Bearer ${SECRET}"` },
  { command: `mysql --password=${SECRET} -e 'select 1'` },
  { command: `API_KEY=${SECRET} ./run` },
  { input: `{"client_secret": "${SECRET}"}` },
  { url: `https://host.example/?access_token=${SECRET}&x=1` },
])("The log holds nothing secret of %o", (args) => {
  assert.doesNotMatch(JSON.stringify(presentableArguments(args, [])), /hunter2/);
});

Deno.test("The log keeps what is no secret", () => {
  const args = {
    command: "git clone https://host.example:8080/x@y",
    maxTokens: 5,
    path: "token.md",
  };
  assert.deepEqual(presentableArguments(args, []), args);
});

Deno.test("A text of a megabyte is looked through in no time", () => {
  const startedAtMs = performance.now();
  for (const piece of ["password ", "a://", "token=", "x:"]) {
    presentableArguments({ text: piece.repeat(200_000) }, []);
  }
  assert.ok(performance.now() - startedAtMs < 3_000);
});
