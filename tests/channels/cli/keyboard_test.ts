import assert from "node:assert/strict";
import { createInterface } from "node:readline/promises";
import { Keyboard } from "../../../channels/cli/adapters/keyboard.ts";

Deno.test("What is typed ahead, in one piece, answers one question after the other", async () => {
  const keyboard = new Keyboard();
  const ask = async () => {
    const reader = createInterface({ input: keyboard, terminal: false });
    try {
      return await reader.question("");
    } finally {
      reader.close();
    }
  };
  const first = ask();
  keyboard.write("one 世界\rtwo\r\nthree\n");
  assert.deepEqual([await first, await ask(), await ask()], ["one 世界", "two", "three"]);
  keyboard.destroy();
});
