import assert from "node:assert/strict";
import type { ChatMessage, ChatRequest } from "../../providers/provider.ts";
import type { StoryLine } from "./journal_watch.ts";
import { marksIn, topicsIn } from "./marks.ts";
import { checkRequest } from "./requests.ts";

const RESULT = '[Result of a subagent: "Look (into) it" (id7), done]\nIts task was: Look (id8)';
const JOB = 'Now is a moment.\n[Scheduled job "job1" (job1), on time]\n\nLook after the plants.';

function storyOf(texts: readonly string[]): StoryLine[] {
  return texts.map((content, line): StoryLine => {
    const message = { role: "user", content } as const;
    const row = { sessionKey: "s", turnId: "t", line, inboundSeq: line, text: "" };
    const said = { marks: marksIn(content), topics: topicsIn(content) };
    return { lineId: `t:${line}`, line: row, message, ...said, setsAside: [] };
  });
}

function requestOf(texts: readonly string[]): ChatRequest {
  const people = texts.flatMap((content): ChatMessage[] => [
    { role: "user", content },
    { role: "assistant", content: "So it is." },
  ]);
  return {
    messages: [{ role: "system", content: "You help." }, ...people],
    conversationId: "chat",
    ...{ model: "m", tools: [], tokensMax: 1, temperature: 0, reasoningEffort: null },
  };
}

function wrongIn(shown: readonly string[], atWork: readonly string[] = []): string[] {
  const story = storyOf(["#m1", JOB, "#m2", RESULT]);
  return checkRequest(requestOf(shown), { story, atWork, mayBeCut: () => true });
}

Deno.test("topicsIn names what people, subagents and jobs say, and nothing else", () => {
  assert.deepEqual(topicsIn(`#m1 (id3)\n${RESULT}\n${JOB}\n#m2`), ["#m1", "id7", "job1", "#m2"]);
});

Deno.test("A request may show all that was said, or its end", () => {
  assert.deepEqual(wrongIn(["#m1", JOB, "#m2", RESULT]), []);
  assert.deepEqual(wrongIn(["#m2", RESULT], ["#m2", "id7"]), []);
  assert.deepEqual(wrongIn([RESULT]), []);
});

Deno.test("A request is wrong in which a result has changed places with a person's words", () => {
  const [wrong, ...others] = wrongIn(["#m1", JOB, RESULT, "#m2"]);
  assert.match(wrong ?? "", /shows "#m1 job1 id7 #m2" of what was said: "#m1 job1 #m2 id7"/);
  assert.deepEqual(others, []);
});

Deno.test("A request is wrong that leaves out the result it is to answer", () => {
  assert.ok(wrongIn(["#m1", JOB, "#m2"], ["id7"]).some((it) => /leaves out .*: id7$/.test(it)));
});
