import assert from "node:assert/strict";

const MODULE = new URL("../../../../actors/gateway/adapters/environment.ts", import.meta.url);

Deno.test.each([
  [{ HTTP_PROXY: "http://proxy:1" }, "localhost,127.0.0.1,::1"],
  [{ HTTPS_PROXY: "http://proxy:1" }, "localhost,127.0.0.1,::1"],
  [{ https_proxy: "http://proxy:1", no_proxy: "a.example" }, "a.example,localhost,127.0.0.1,::1"],
  [{}, ""],
])("No proxy is asked for this machine's own addresses: %j", async (env, spared) => {
  const { stdout } = await new Deno.Command(Deno.execPath(), {
    args: [
      "eval",
      `import { bypassProxyForLoopback } from "${MODULE}";
       bypassProxyForLoopback();
       console.log(Deno.env.get("NO_PROXY") ?? "");`,
    ],
    clearEnv: true,
    env,
  }).output();
  assert.equal(new TextDecoder().decode(stdout).trim(), spared);
});
