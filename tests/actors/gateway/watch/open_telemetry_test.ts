import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { z } from "zod";
import { callTool, ModelServer, say } from "../../../simulators/model_server.ts";
import { GatewayHome, runTroupe, writeConfig } from "../../../support/gateway_process.ts";
import { until } from "../../../support/until.ts";

const attribute = z.object({ key: z.string(), value: z.looseObject({}) });
const span = z.object({
  name: z.string(),
  traceId: z.string(),
  spanId: z.string(),
  parentSpanId: z.string().default(""),
  attributes: z.array(attribute).default([]),
});
const exported = z.object({
  resourceSpans: z.array(
    z.object({ scopeSpans: z.array(z.object({ spans: z.array(span).default([]) })) }),
  ),
});

type Span = z.infer<typeof span>;

/** A collector of traces on a local port. */
function collect() {
  const spans: Span[] = [];
  const server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen: () => {} },
    async (request) => {
      const body: unknown = await request.json();
      if (new URL(request.url).pathname === "/v1/traces") {
        const { resourceSpans } = exported.parse(body);
        spans.push(
          ...resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap((s) => s.spans)),
        );
      }
      return Response.json({});
    },
  );
  return { spans, server };
}

Deno.test("With OTEL_DENO a turn's calls of models and tools are spans within its own", async () => {
  const { spans, server } = collect();
  await using _ = server;
  await using home = await GatewayHome.make();
  await using model = await ModelServer.start([callTool("list_dir", { path: "." }), say("done")]);
  const config = { tools: { exec: { enable: false } } };
  const main = fileURLToPath(new URL("../../../../mod.ts", import.meta.url));
  const variables = [
    "OTEL_DENO=true",
    "OTEL_EXPORTER_OTLP_PROTOCOL=http/json",
    `OTEL_EXPORTER_OTLP_ENDPOINT=http://127.0.0.1:${server.addr.port}`,
    "OTEL_BSP_SCHEDULE_DELAY=50",
  ];
  const program = ["env", ...variables, Deno.execPath(), "run", "-A", "--no-check", main];
  await writeConfig(home, { model, config });
  const asked = await runTroupe(["agent", "-m", "look"], home.path, program);
  assert.equal(asked.stdout, "done\n", asked.stderr);
  const named = (name: RegExp) => spans.filter((candidate) => name.test(candidate.name));
  await until(() => named(/^turn$/).length > 0, { what: "the turn's span" });
  const [turn] = named(/^turn$/);
  const calls = [...named(/^chat /), ...named(/^execute_tool list_dir$/)];
  assert.equal(calls.length, 3, JSON.stringify(spans.map(({ name }) => name)));
  for (const call of calls) {
    assert.deepEqual([call.traceId, call.parentSpanId], [turn?.traceId, turn?.spanId]);
  }
  // What Deno itself tells of the request stands within the call of the model.
  const models = new Set(named(/^chat /).map(({ spanId }) => spanId));
  const requests = spans.filter(({ parentSpanId }) => models.has(parentSpanId));
  assert.ok(requests.length >= 2, JSON.stringify(spans.map(({ name }) => name)));
  const keys = turn?.attributes.map(({ key }) => key) ?? [];
  assert.ok(keys.includes("trace") && keys.includes("troupe.outcome"), keys.join());
});
