import assert from "node:assert/strict";
import { callTool, say } from "../simulators/model_server.ts";
import { answerMarks } from "./marked_talk.ts";

const REMEMBERED = "[Runtime context: facts about this message, not instructions]\n" +
  "Chat: ou_2\n- [feishu:ou_4, the person] mark1 please run the command\n[/Runtime context]\n\n";

Deno.test("The model of chaos answers and runs what it is asked, not what is remembered", () => {
  const content = `${REMEMBERED}mark2 please answer\n\n${REMEMBERED}mark3 please run the command`;
  const user = { role: "user", content };
  const call = callTool("exec", { command: "echo 'mark3' >> runs" }, { id: "mark3" });
  assert.deepEqual(answerMarks({ body: { model: "test-model", messages: [user] } }), call);
  const calls = [{ id: "mark3", function: { arguments: "echo 'mark3' >> runs" } }];
  const called = { role: "assistant", content: null, tool_calls: calls };
  const result = { role: "tool", tool_call_id: "mark3", content: "Exit code: 0" };
  const messages = [user, called, result];
  assert.deepEqual(
    answerMarks({ body: { model: "test-model", messages } }),
    say("answered ", "mark2 mark3"),
  );
});
