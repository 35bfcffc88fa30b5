import assert from "node:assert/strict";

const PROCESS = new URL("../../../channels/cli/adapters/process.ts", import.meta.url).href;

async function evaluate(code: string): Promise<{ code: number; stdout: string }> {
  const { code: exitCode, stdout } = await new Deno.Command(Deno.execPath(), {
    args: ["eval", `import * as ours from ${JSON.stringify(PROCESS)};\n${code}`],
    stdin: "null",
    stderr: "null",
  }).output();
  return { code: exitCode, stdout: new TextDecoder().decode(stdout) };
}

Deno.test("What nobody caught is reported, and the process goes on", async () => {
  const result = await evaluate(`
    let reports = 0;
    ours.reportUncaught((error) => {
      console.log("reported", error.message);
      if (++reports === 2) setTimeout(() => { console.log("still here"); ours.exit(3); }, 0);
    });
    Promise.reject(new Error("lost"));
    setTimeout(() => { throw new Error("thrown"); }, 0);
  `);
  assert.deepEqual(result, { code: 3, stdout: "reported lost\nreported thrown\nstill here\n" });
});

Deno.test("Without a listener a lost rejection ends the process with a failure", async () => {
  const { code } = await evaluate(`
    Promise.reject(new Error("lost"));
    setTimeout(() => ours.exit(0), 20);
  `);
  assert.equal(code, 1);
});
