import assert from "node:assert/strict";
import { NetError } from "../../../../actors/tools/net/net_error.ts";
import type { ToolNet, ToolRequest } from "../../../../actors/tools/tool.ts";
import { searchUsage } from "../../../../actors/tools/web/search_usage.ts";

async function usageWith(
  answer: unknown,
  status: number = 200,
): Promise<{ readonly line: string; readonly asked: readonly ToolRequest[] }> {
  const asked: ToolRequest[] = [];
  const net: ToolNet = {
    request: (request) => {
      asked.push(request);
      if (answer instanceof Error) return Promise.reject(answer);
      const text = typeof answer === "string" ? answer : JSON.stringify(answer);
      const body = new TextEncoder().encode(text);
      return Promise.resolve({ url: request.url, status, headers: {}, body, isCut: false });
    },
    isPublic: () => Promise.resolve(true),
  };
  const { signal } = new AbortController();
  return { line: await searchUsage({ provider: "tavily", apiKey: "k" }, net, signal), asked };
}

const ACCOUNT = {
  plan_usage: 120,
  plan_limit: 1_000,
  search_usage: 100,
  extract_usage: 15,
  crawl_usage: 5,
};

Deno.test("Tavily's usage is told with what is left", async () => {
  const { line, asked } = await usageWith({ key: { usage: 1 }, account: ACCOUNT });
  assert.equal(line, "tavily: 120/1000 used, 880 left (search 100, extract 15, crawl 5)");
  assert.equal(asked[0]?.url, "https://api.tavily.com/usage");
  assert.equal(asked[0]?.headers?.["authorization"], "Bearer k");
});

Deno.test.each([
  [
    { account: { ...ACCOUNT, plan_usage: 1_200 } },
    200,
    "tavily: 1200/1000 used, 0 left (search 100",
  ],
  [{ account: { plan_usage: 7, plan_limit: null } }, 200, "tavily: 7 used (search 0, extract 0"],
  [{}, 401, "tavily: HTTP 401"],
  [{ hello: 1 }, 200, "tavily: its answer is not what it documents"],
  ["<html>", 200, "tavily: its answer is not what it documents"],
  [new NetError("request_failed", "x".repeat(500)), 0, `tavily: ${"x".repeat(80)}`],
])("Tavily's usage %j with status %d is shown in one line", async (answer, status, line) => {
  const shown = (await usageWith(answer, status)).line;
  assert.ok(shown.startsWith(line), shown);
  assert.ok(shown.length < 120);
});

Deno.test("Other services and missing keys are said without asking anybody", async () => {
  const net: ToolNet = {
    request: () => Promise.reject(new Error("asked")),
    isPublic: () => Promise.reject(new Error("asked")),
  };
  const { signal } = new AbortController();
  const line = (provider: "tavily" | "brave") => searchUsage({ provider, apiKey: "" }, net, signal);
  assert.equal(await line("brave"), "brave: usage not available");
  assert.equal(await line("tavily"), "tavily: not configured");
});
