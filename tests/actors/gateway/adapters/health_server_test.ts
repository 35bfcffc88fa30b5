import assert from "node:assert/strict";
import { HealthServer } from "../../../../actors/gateway/adapters/health_server.ts";

function listen(host: string, port: number): HealthServer {
  const report = () => Promise.reject(new Error("not asked"));
  return HealthServer.listen({ host, port, report, metrics: () => "" });
}

Deno.test("HealthServer says that its port is taken, and which key to change", async () => {
  await using first = listen("127.0.0.1", 0);
  const port = Number(new URL(first.url).port);
  assert.throws(() => listen("127.0.0.1", port), {
    code: "port_taken",
    message: `Cannot listen on gateway.host:gateway.port "127.0.0.1:${port}": another program ` +
      "listens there; choose another gateway.port or --port",
  });
});

Deno.test.each(["no-such-host.invalid", "192.0.2.1", "not a host"])(
  "HealthServer says that %j is no address of this machine, and which key to change",
  (host) => {
    assert.throws(() => listen(host, 0), {
      code: "host_unusable",
      message: /^Cannot listen on gateway\.host:gateway\.port ".*": .*; set gateway\.host to an /,
    });
  },
);
