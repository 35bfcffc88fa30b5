import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { CERTIFICATE, startTlsServer } from "../../../support/tls_server.ts";

const PROGRAM = fileURLToPath(new URL("../../../support/pinned_request.ts", import.meta.url));

Deno.test("A pinned connection checks the certificate against the name, not the address", async () => {
  await using server = startTlsServer();
  const certificate = await Deno.makeTempFile({ suffix: ".pem" });
  try {
    await Deno.writeTextFile(certificate, CERTIFICATE);
    const urls = ["localhost", "other.example"].map((name) => `https://${name}:${server.port}/`);
    const { stdout } = await new Deno.Command(Deno.execPath(), {
      args: ["run", "-A", "--no-check", PROGRAM, ...urls],
      env: { NODE_EXTRA_CA_CERTS: certificate },
    }).output();
    const [trusted, other = ""] = new TextDecoder().decode(stdout).split("\n");
    assert.equal(trusted, "ok");
    assert.match(other, /^Cannot reach "other\.example:\d+": .*altnames/);
  } finally {
    await Deno.remove(certificate);
  }
});
