import assert from "node:assert/strict";
import { unansweredMarks } from "./check.ts";

Deno.test("What a long run left unanswered is found in one look at the chats", () => {
  let looks = 0;
  const platform = {
    get chats() {
      looks++;
      return [{ fromBot: [{ text: "answered mark0 mark2", card: undefined }] }];
    },
  };
  assert.deepEqual(unansweredMarks(platform, 4), ["mark1", "mark3"]);
  assert.equal(looks, 1);
});
