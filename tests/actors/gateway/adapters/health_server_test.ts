import assert from "node:assert/strict";
import { healthServer } from "../../../../actors/gateway/adapters/health_server.ts";
import type { HttpListener } from "../../../../actors/gateway/adapters/http_listener.ts";
import type { HealthReport } from "../../../../actors/gateway/health.ts";

function listen(host: string, port: number): Promise<HttpListener> {
  const report = () => Promise.reject(new Error("not asked"));
  return healthServer({ host, port, report, metrics: () => "" });
}

Deno.test("A health server ends although an answer is late", async () => {
  const asked = Promise.withResolvers<void>();
  const late = Promise.withResolvers<HealthReport>();
  const report = () => {
    asked.resolve();
    return late.promise;
  };
  const server = await healthServer({ host: "127.0.0.1", port: 0, report, metrics: () => "" });
  const cutOff = assert.rejects(fetch(server.url), TypeError);
  await asked.promise;
  await server[Symbol.asyncDispose]();
  late.reject(new Error("it is over"));
  await cutOff;
});

Deno.test("A health server says that its port is taken, and which key to change", async () => {
  await using first = await listen("127.0.0.1", 0);
  const port = Number(new URL(first.url).port);
  await assert.rejects(listen("127.0.0.1", port), {
    code: "port_taken",
    message: `Cannot listen on gateway.host:gateway.port "127.0.0.1:${port}": another program ` +
      "listens there; choose another gateway.port or --port",
  });
});

Deno.test.each(["no-such-host.invalid", "192.0.2.1", "not a host"])(
  "A health server says that %j is no address of this machine, and which key to change",
  async (host) => {
    await assert.rejects(listen(host, 0), {
      code: "host_unusable",
      message: /^Cannot listen on gateway\.host:gateway\.port ".*": .*; set gateway\.host to an /,
    });
  },
);
