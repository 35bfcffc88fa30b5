/**
 * Answers of `fetch` without a socket: bytes come exactly as a test cuts them.
 * @module
 */

/** Bytes of a body. */
export type Bytes = Uint8Array<ArrayBuffer>;

/** Lets every `fetch` answer with a stream of events, made anew, until it is disposed. */
export function answerFetch(body: () => ReadableStream<Bytes>): Disposable {
  const original = globalThis.fetch;
  globalThis.fetch = (_, init) => {
    const response = new Response(abortable(body(), init?.signal), {
      headers: { "content-type": "text/event-stream" },
    });
    return Promise.resolve(response);
  };
  return { [Symbol.dispose]: () => void (globalThis.fetch = original) };
}

/** The bytes in pieces whose lengths come from `sizes`, again and again. */
export function inPieces(bytes: Bytes, sizes: readonly number[]): readonly Bytes[] {
  const pieces: Bytes[] = [];
  for (let start = 0; start < bytes.length;) {
    const end = start +
      Math.max(1, sizes[pieces.length % Math.max(1, sizes.length)] ?? bytes.length);
    pieces.push(bytes.slice(start, end));
    start = end;
  }
  return pieces;
}

function abortable(
  body: ReadableStream<Bytes>,
  signal: AbortSignal | null | undefined,
): ReadableStream<Bytes> {
  const passing = new TransformStream<Bytes, Bytes>();
  body.pipeTo(passing.writable, signal ? { signal } : {}).catch(() => {});
  return passing.readable;
}
