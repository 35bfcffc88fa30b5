/**
 * A model that says the same short word as often as the path asks, as fast as it is read; prints
 * its port. `POST /<words>/chat/completions`, `/<words>/v1/messages`, `/<words>/responses`.
 * @module
 */

/** Events that leave together, as they do in a socket that is behind. */
const EVENTS_PER_WRITE = 50;

/** What comes before the words, one of them, and what comes behind. */
interface Protocol {
  readonly before: readonly unknown[];
  readonly word: unknown;
  readonly after: readonly unknown[];
}

const ITEM = { id: "i", type: "message", role: "assistant", content: [] };
const USAGE = { input_tokens: 1, output_tokens: 1, total_tokens: 2 };

const PROTOCOLS: Readonly<Record<string, Protocol>> = {
  completions: {
    before: [],
    word: chunk({ content: "hello " }, null),
    after: [chunk({}, "stop")],
  },
  messages: {
    before: [
      { type: "message_start", message: { id: "m", usage: USAGE } },
      { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
    ],
    word: {
      type: "content_block_delta",
      index: 0,
      delta: { type: "text_delta", text: "hello " },
    },
    after: [
      { type: "content_block_stop", index: 0 },
      { type: "message_delta", delta: { stop_reason: "end_turn" }, usage: USAGE },
      { type: "message_stop" },
    ],
  },
  responses: {
    before: [{ type: "response.output_item.added", output_index: 0, item: ITEM }],
    word: {
      type: "response.output_text.delta",
      item_id: "i",
      output_index: 0,
      content_index: 0,
      delta: "hello ",
    },
    after: [{
      type: "response.completed",
      response: { status: "completed", output: [], usage: USAGE },
    }],
  },
};

function chunk(delta: object, finish_reason: string | null): unknown {
  const choices = [{ index: 0, delta, finish_reason }];
  return { id: "c", object: "chat.completion.chunk", created: 0, model: "m", choices };
}

function encode(events: readonly unknown[]): Uint8Array<ArrayBuffer> {
  const text = events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join("");
  return new TextEncoder().encode(text);
}

function answer({ before, word, after }: Protocol, words: number): ReadableStream<Uint8Array> {
  const block = encode(new Array(EVENTS_PER_WRITE).fill(word));
  let left = words / EVENTS_PER_WRITE;
  return new ReadableStream<Uint8Array>({
    start: (controller) => controller.enqueue(encode(before)),
    pull: (controller) => {
      if (left-- > 0) return controller.enqueue(block.slice());
      controller.enqueue(encode(after));
      controller.enqueue(new TextEncoder().encode("data: [DONE]\n\n"));
      controller.close();
    },
  });
}

const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, (request) => {
  const [words = "", ...path] = new URL(request.url).pathname.split("/").slice(1);
  const protocol = PROTOCOLS[path.at(-1) ?? ""];
  if (protocol === undefined) return new Response(null, { status: 404 });
  return new Response(answer(protocol, Number(words)), {
    headers: { "content-type": "text/event-stream" },
  });
});
await Deno.stdout.write(new TextEncoder().encode(`${server.addr.port}\n`));
