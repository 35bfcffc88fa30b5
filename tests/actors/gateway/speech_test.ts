import assert from "node:assert/strict";
import { join } from "node:path";
import { providerSchema } from "../../../actors/config/schema/providers.ts";
import { wireSpeech } from "../../../actors/gateway/speech.ts";
import { ManualClock } from "../../support/manual_clock.ts";
import { temporaryFolder } from "../../support/temporary_folder.ts";

const NO_FALLBACKS = {
  openaiApiKey: null,
  openaiBaseUrl: null,
  groqApiKey: null,
  groqBaseUrl: null,
};
const CHANNELS = {
  sendProgress: true,
  sendToolHints: false,
  sendMaxRetries: 3,
  mediaDays: 30,
  mediaMegabytes: 2_000,
  transcriptionProvider: "groq",
  transcriptionModel: null,
  enabled: {},
  others: {},
};
const signal = new AbortController().signal;

Deno.test("Speech is written down by nobody without a key", async () => {
  const transcribe = wireSpeech({
    config: { channels: CHANNELS, providers: {} },
    fallbacks: NO_FALLBACKS,
    clock: new ManualClock(),
  })("/media");
  assert.deepEqual(await transcribe("/media/a.ogg", signal), { state: "off" });
});

Deno.test("Speech is read from the channel's own folder only", async () => {
  await using folder = await temporaryFolder();
  const media = join(folder.path, "media");
  const outside = join(folder.path, "secret.ogg");
  await Deno.mkdir(media);
  await Deno.writeTextFile(outside, "sound");
  await Deno.writeTextFile(join(media, "note.ogg"), "sound");
  await Deno.symlink(outside, join(media, "link.ogg"));
  await using server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen: () => {} },
    async (r) => {
      await r.arrayBuffer();
      return Response.json({ text: "words" });
    },
  );
  const apiBase = `http://127.0.0.1:${server.addr.port}/v1`;
  const transcribe = wireSpeech({
    config: {
      channels: CHANNELS,
      providers: { groq: providerSchema.parse({ apiKey: "key", apiBase }) },
    },
    fallbacks: NO_FALLBACKS,
    clock: new ManualClock(),
  })(media);
  assert.deepEqual(await transcribe(join(media, "note.ogg"), signal), {
    state: "transcribed",
    text: "words",
  });
  for (const path of [outside, join(media, "link.ogg"), join(media, "../secret.ogg")]) {
    assert.deepEqual(await transcribe(path, signal), {
      state: "failed",
      reason: "the file is outside",
    });
  }
  assert.deepEqual(await transcribe(join(media, "gone.ogg"), signal), {
    state: "failed",
    reason: "the file is missing",
  });
});
