import assert from "node:assert/strict";
import {
  chooseTranscription,
  type TranscriptionFallbacks,
} from "../../providers/transcription/choice.ts";
import { soundFile } from "../../providers/transcription/sound_file.ts";
import {
  RECORDING_BYTES_MAX,
  Transcriber,
  type TranscriptionResult,
} from "../../providers/transcription/transcriber.ts";
import { ManualClock } from "../support/manual_clock.ts";
import { until } from "../support/until.ts";

const NONE: TranscriptionFallbacks = {
  openaiApiKey: null,
  openaiBaseUrl: null,
  groqApiKey: null,
  groqBaseUrl: null,
};
const KEY = "sk-a-secret-key";

/** What the service was sent. */
interface Sent {
  readonly path: string;
  readonly authorization: string | null;
  readonly model: string;
  readonly fileName: string;
  readonly type: string;
  readonly bytes: number;
}

/** A service that answers as it is told, and a client of it. */
class Service implements AsyncDisposable {
  readonly sent: Sent[] = [];
  readonly clock = new ManualClock();
  readonly #answers: (() => Response | Promise<Response>)[];
  readonly #server: Deno.HttpServer<Deno.NetAddr>;

  constructor(...answers: (() => Response | Promise<Response>)[]) {
    this.#answers = answers;
    this.#server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, async (r) => {
      const form = await r.formData();
      const file = form.get("file");
      assert.ok(file instanceof File);
      this.sent.push({
        path: new URL(r.url).pathname,
        authorization: r.headers.get("authorization"),
        model: String(form.get("model")),
        fileName: file.name,
        type: file.type,
        bytes: file.size,
      });
      return await (this.#answers.shift() ?? said("no more answers"))();
    });
  }

  get base(): string {
    return `http://127.0.0.1:${this.#server.addr.port}/openai/v1`;
  }

  transcribe(
    recording = { fileName: "note.opus", bytes: new Uint8Array(5) },
    signal = new AbortController().signal,
  ): Promise<TranscriptionResult> {
    const providers = { groq: { apiKey: KEY, apiBase: this.base } };
    const service = chooseTranscription({
      provider: "groq",
      model: null,
      providers,
      fallbacks: NONE,
    });
    assert.ok(service !== null);
    return new Transcriber(service, this.clock).transcribe(recording, signal);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#server.shutdown();
    assert.equal(this.clock.pending, 0, "no timer is left");
  }
}

function said(text: string): () => Response {
  return () => Response.json({ text });
}

function refused(status: number, headers: HeadersInit = {}): () => Response {
  return () => new Response(`no: Bearer ${KEY}`, { status, headers });
}

async function inTime<T>(clock: ManualClock, work: Promise<T>): Promise<T> {
  let isOver = false;
  const over = work.finally(() => void (isOver = true));
  over.catch(() => {});
  while (!isOver) {
    await until(() => isOver || clock.pending > 0);
    await clock.advance(250);
  }
  return await over;
}

Deno.test("Transcriber sends a recording and gives what was said", async () => {
  await using service = new Service(said("  hello there "));
  assert.deepEqual(await service.transcribe(), { state: "transcribed", text: "hello there" });
  assert.deepEqual(service.sent, [{
    path: "/openai/v1/audio/transcriptions",
    authorization: `Bearer ${KEY}`,
    model: "whisper-large-v3",
    fileName: "recording.ogg",
    type: "audio/ogg",
    bytes: 5,
  }]);
});

Deno.test("Transcriber asks a server of one's own for the model that is named, without a key", async () => {
  await using server = new Service(said("hello"));
  const service = chooseTranscription({
    provider: "myWhisper",
    model: "large-v3-turbo",
    providers: { myWhisper: { apiBase: server.base } },
    fallbacks: { ...NONE, groqApiKey: KEY },
  });
  assert.ok(service !== null);
  const recording = { fileName: "note.mp3", bytes: new Uint8Array(5) };
  const signal = new AbortController().signal;
  const result = await new Transcriber(service, server.clock).transcribe(recording, signal);
  assert.deepEqual(result, { state: "transcribed", text: "hello" });
  assert.partialDeepStrictEqual(server.sent, [{ model: "large-v3-turbo", authorization: null }]);
});

Deno.test("Transcriber tells silence from failure", async () => {
  await using service = new Service(said(""), () => Response.json({ words: "x" }));
  assert.deepEqual(await service.transcribe(), { state: "transcribed", text: "" });
  assert.deepEqual(await service.transcribe(), {
    state: "failed",
    reason: "the answer holds no text",
  });
});

Deno.test.each([408, 429, 500, 503])("Transcriber tries again after %s", async (status) => {
  await using service = new Service(refused(status), refused(status), said("at last"));
  const startedAtMs = service.clock.now();
  const result = await inTime(service.clock, service.transcribe());
  assert.deepEqual(result, { state: "transcribed", text: "at last" });
  assert.ok(service.clock.now() - startedAtMs >= 3_000, "it waited 1 and 2 s");
});

Deno.test("Transcriber gives up after four attempts", async () => {
  await using service = new Service(...Array.from({ length: 9 }, () => refused(500)));
  const result = await inTime(service.clock, service.transcribe());
  assert.deepEqual(result, { state: "failed", reason: "groq answered 500 (no: Bearer ***)" });
  assert.equal(service.sent.length, 4);
});

Deno.test.each([400, 401, 403, 404])("Transcriber does not repeat what got %s", async (status) => {
  await using service = new Service(refused(status));
  assert.equal((await service.transcribe()).state, "failed");
  assert.equal(service.sent.length, 1);
});

Deno.test("Transcriber waits as long as it is told", async () => {
  await using service = new Service(refused(429, { "retry-after": "9" }), said("ok"));
  const startedAtMs = service.clock.now();
  await inTime(service.clock, service.transcribe());
  assert.ok(service.clock.now() - startedAtMs >= 9_000);
});

Deno.test("Transcriber tries again when no answer comes within a minute", async () => {
  const gate = Promise.withResolvers<Response>();
  await using service = new Service(() => gate.promise, said("second"));
  const transcribing = service.transcribe();
  await until(() => service.sent.length === 1);
  await service.clock.advance(60_000);
  assert.deepEqual(await inTime(service.clock, transcribing), {
    state: "transcribed",
    text: "second",
  });
  gate.resolve(new Response());
});

Deno.test("Transcriber ends when it is aborted, also while it waits", async () => {
  await using service = new Service(refused(500));
  const stop = new AbortController();
  const transcribing = service.transcribe(undefined, stop.signal);
  await until(() => service.sent.length === 1 && service.clock.nextDueMs !== undefined);
  stop.abort(new RangeError("stopped"));
  await assert.rejects(transcribing, /stopped/);
});

Deno.test.each([
  { bytes: 0, reason: "the recording is empty" },
  { bytes: RECORDING_BYTES_MAX + 1, reason: "the recording is above 25 MB" },
])("Transcriber asks nobody when $reason", async ({ bytes, reason }) => {
  await using service = new Service();
  const recording = { fileName: "a.ogg", bytes: new Uint8Array(bytes) };
  assert.deepEqual(await service.transcribe(recording), { state: "failed", reason });
  assert.deepEqual(service.sent, []);
});

Deno.test.each([
  { provider: "groq", providers: {}, fallbacks: {}, to: null },
  {
    provider: "nonsense",
    providers: {},
    fallbacks: { groqApiKey: "k" },
    to: "https://api.groq.com/openai/v1/audio/transcriptions",
  },
  {
    provider: "openai",
    providers: { openai: { apiKey: "k" } },
    fallbacks: {},
    to: "https://api.openai.com/v1/audio/transcriptions",
  },
  {
    provider: "OpenAI",
    providers: { openai: { apiKey: "k", apiBase: "http://h/v1/" } },
    fallbacks: { openaiBaseUrl: "http://not-this" },
    to: "http://h/v1/audio/transcriptions",
  },
  {
    provider: "groq",
    providers: { groq: { apiKey: "k", apiBase: "http://h/v1/audio/transcriptions" } },
    fallbacks: {},
    to: "http://h/v1/audio/transcriptions",
  },
  {
    provider: "groq",
    providers: { openai: { apiKey: "k" } },
    fallbacks: { groqApiKey: "k", groqBaseUrl: "http://h/x?y=1" },
    to: "http://h/x/audio/transcriptions?y=1",
  },
  {
    provider: "siliconflow",
    providers: { siliconflow: { apiKey: "k" } },
    fallbacks: { groqApiKey: "k" },
    to: "https://api.siliconflow.cn/v1/audio/transcriptions",
  },
  { provider: "siliconflow", providers: {}, fallbacks: { groqApiKey: "k" }, to: null },
  {
    provider: "my-whisper",
    providers: { myWhisper: { apiBase: "http://127.0.0.1:8000/v1" } },
    fallbacks: {},
    to: "http://127.0.0.1:8000/v1/audio/transcriptions",
  },
  { provider: "vllm", providers: { vllm: { apiKey: "k" } }, fallbacks: {}, to: null },
  { provider: "ollama", providers: {}, fallbacks: {}, to: null },
  {
    provider: "groq",
    providers: { groq: { apiBase: "http://h/v1" } },
    fallbacks: {},
    to: null,
  },
])("chooseTranscription sends $provider to $to", ({ provider, providers, fallbacks, to }) => {
  const choice = chooseTranscription({
    provider,
    model: null,
    providers,
    fallbacks: { ...NONE, ...fallbacks },
  });
  assert.equal(choice?.url ?? null, to);
});

Deno.test.each([
  ["note.opus", "recording.ogg", "audio/ogg"],
  ["note.OGA", "recording.ogg", "audio/ogg"],
  ["a.mp3", "recording.mp3", "audio/mpeg"],
  ["a.m4a", "recording.m4a", "audio/mp4"],
  ["secret name", "recording.ogg", "audio/ogg"],
])("soundFile sends %s as %s (%s)", (fileName, name, type) => {
  assert.deepEqual(soundFile(fileName), { name, type });
});
