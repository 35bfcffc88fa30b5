import assert from "node:assert/strict";
import { type Recalled, type RecallRequest, recallTool } from "../../../actors/tools/recall.ts";
import { toolBench } from "../../support/tool_context.ts";

async function call(args: Record<string, string | number>, found: Recalled) {
  const asked: RecallRequest[] = [];
  const tool = recallTool((request) => {
    asked.push(request);
    return Promise.resolve(found);
  });
  await using bench = await toolBench();
  const result = await tool.call(args, bench.context);
  return { asked, result };
}

const FOUND: Recalled = {
  state: "found",
  passages: ["[2026-04-30 14:03, feishu:oc_1, the person] the heron"],
  hasMore: true,
  isPartial: false,
};

Deno.test("recall gives numbered passages as data, and says how to go on", async () => {
  const { asked, result } = await call({ query: "heron", offset: "10" }, FOUND);
  assert.deepEqual(asked, [{
    query: "heron",
    limit: 10,
    offset: 10,
    since: undefined,
    until: undefined,
    source: "all",
  }]);
  assert.equal(result.isError, false);
  assert.match(String(result.content), /^⟦Untrusted content from memory[^]*\n11\. \[2026-04-30/);
  assert.match(String(result.content), /\(There is more: offset 11\)$/);
});

Deno.test("recall says that it found nothing, and whether that may change", async () => {
  const none = { ...FOUND, passages: [], hasMore: false, isPartial: true };
  const { result } = await call({ query: "heron" }, none);
  assert.match(String(result.content), /^Nothing is remembered with the words "heron"\n\(Older/);
});

Deno.test("recall gives a problem with the question as an error", async () => {
  const { result } = await call({ query: "x" }, { state: "problem", problem: "Cannot read since" });
  assert.deepEqual(result, { content: "Error: Cannot read since", isError: true });
});
