import assert from "node:assert/strict";
import { join } from "node:path";
import { WebSocket as Socket } from "ws";
import { temporaryFolder } from "../../support/temporary_folder.ts";
import { CERTIFICATE, KEY } from "../../support/tls_server.ts";
import { until } from "../../support/until.ts";
import { Harness } from "./harness.ts";

Deno.test("With a certificate sockets and addresses are reached by TLS", async () => {
  await using files = await temporaryFolder();
  const [sslCertfile, sslKeyfile] = [join(files.path, "cert.pem"), join(files.path, "key.pem")];
  await Deno.writeTextFile(sslCertfile, CERTIFICATE);
  await Deno.writeTextFile(sslKeyfile, KEY);
  await using harness = await Harness.ready({ section: { sslCertfile, sslKeyfile } });
  assert.match(harness.gateway.states.at(-1)?.detail ?? "", /wss:/);
  using client = Deno.createHttpClient({ caCerts: [CERTIFICATE] });
  const answer = await fetch(`https://127.0.0.1:${harness.port}/webui/bootstrap`, { client });
  assert.equal(answer.status, 200);
  await answer.body?.cancel();
  const socket = new Socket(`wss://127.0.0.1:${harness.port}/`, { ca: CERTIFICATE });
  let first = "";
  socket.on("message", (data) => void (first ||= String(data)));
  await until(() => first !== "");
  assert.match(first, /"event":"ready"/);
  const { promise: closed, resolve } = Promise.withResolvers<void>();
  socket.on("close", () => resolve());
  socket.close();
  await closed;
});
