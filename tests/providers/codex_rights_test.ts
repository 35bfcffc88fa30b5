/// <reference lib="deno.unstable" />
import assert from "node:assert/strict";

const MODULE = new URL("../../providers/auth/codex_tokens.ts", import.meta.url);

Deno.test("The sign-in of Codex finds its files by HOME, without asking the system", async () => {
  const source = `import { codexTokens } from ${JSON.stringify(MODULE.href)};
    const newId = () => "id";
    const clock = { now: () => 0, setTimer: () => () => {} };
    codexTokens("/nowhere", { clock, newId });
    self.postMessage("made");`;
  const worker = new Worker(`data:text/javascript,${encodeURIComponent(source)}`, {
    type: "module",
    // As under the printed flags.
    deno: {
      permissions: { env: ["HOME", "USERPROFILE"], read: true, sys: false, import: "inherit" },
    },
  });
  const said = Promise.withResolvers<unknown>();
  worker.addEventListener("message", ({ data }) => said.resolve(data));
  worker.addEventListener("error", (event) => {
    event.preventDefault();
    said.resolve(event.message);
  });
  assert.equal(await said.promise, "made");
  worker.terminate();
});
