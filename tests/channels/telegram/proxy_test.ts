import assert from "node:assert/strict";
import { z } from "zod";
import { openBotApi } from "../../../channels/telegram/adapters/bot_api.ts";
import { manifest } from "../../../channels/telegram/manifest.ts";

Deno.test("Telegram goes through its proxy for calls, sends and files", async () => {
  const seen: string[] = [];
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, (request) => {
    const { pathname } = new URL(request.url);
    seen.push(pathname);
    const headers = { connection: "close" };
    if (pathname.startsWith("/file/")) return new Response("bytes", { headers });
    const results: Readonly<Record<string, unknown>> = {
      getMe: { id: 1, is_bot: true, first_name: "B", username: "b_bot" },
      sendMessage: { message_id: 7 },
      getFile: { file_path: "documents/a.txt" },
    };
    const result = results[pathname.split("/").at(-1) ?? ""];
    return Response.json({ ok: true, result }, { headers });
  });
  const section = manifest.schema(z).parse({
    token: "1:a",
    apiRoot: "http://telegram.invalid",
    proxy: `http://127.0.0.1:${server.addr.port}`,
  });
  {
    using link = await openBotApi(section);
    const { signal } = new AbortController();
    assert.equal((await link.getMe(signal)).username, "b_bot");
    assert.equal(await link.sendText({ chatId: "5" }, { text: "hi", entities: [] }, signal), 7);
    const { body } = await link.openFile("f1", signal);
    assert.equal(await new Response(body).text(), "bytes");
  }
  await server.shutdown();
  const calls = ["/bot1:a/getMe", "/bot1:a/sendMessage", "/bot1:a/getFile"];
  assert.deepEqual(seen, [...calls, "/file/bot1:a/documents/a.txt"]);
});
