import assert from "node:assert/strict";
import { z } from "zod";
import { type DiscordSection, manifest } from "../../../channels/discord/manifest.ts";

const TOKEN = "MTk4NjIyNDgzNDcxOTI1MjQ4.Cl2FMQ.ZnCjm1XVW7vRze4b7Cq4se7kKWs";

function section(given: Record<string, unknown> = {}): DiscordSection {
  return manifest.schema(z).parse({ token: TOKEN, ...given });
}

Deno.test("The Discord section has the defaults that its page names", () => {
  assert.partialDeepStrictEqual(section({ token: "" }), {
    enabled: false,
    allowFrom: [],
    allowChannels: [],
    groupPolicy: "mention",
    intents: 37_377,
    readReceiptEmoji: "👀",
    workingEmoji: "🔧",
    workingEmojiDelay: 2,
    streaming: true,
    proxy: null,
  });
});

Deno.test("A Discord Worker reaches the platform's hosts, and its proxy, alone", () => {
  assert.deepEqual(manifest.hosts(section()), [
    "discord.com:443",
    "*.discord.gg:443",
    "cdn.discordapp.com:443",
    "media.discordapp.net:443",
  ]);
  assert.deepEqual(
    manifest.hosts(section({ proxy: "http://10.0.0.1:3128" })).at(-1),
    "10.0.0.1:3128",
  );
  const local = section({ apiBase: "http://127.0.0.1:8080/api" });
  assert.deepEqual(manifest.hosts(local), ["127.0.0.1:8080"]);
});

Deno.test.each([
  { token: "", says: /token is missing/ },
  { token: "abc", says: /no bot token/ },
  { token: "Bot " + TOKEN, says: null },
  { token: ` ${TOKEN}\n`, says: null },
])("A Discord token like case %# is checked before anything is sent", ({ token, says }) => {
  const [missing] = manifest.missing(section({ token }));
  if (says === null) assert.equal(missing, undefined);
  else assert.match(missing ?? "", says);
});

Deno.test.each([
  { given: { intents: -1 } },
  { given: { proxy: "socks" } },
  { given: { groupPolicy: "all" } },
  { given: { workingEmojiDelay: -2 } },
  { given: { apiBase: "discord.com" } },
])("The Discord section refuses case %#", ({ given }) => {
  assert.throws(() => section(given));
});

Deno.test("An empty emoji in the Discord section means none", () => {
  const { readReceiptEmoji, workingEmoji } = section({ readReceiptEmoji: "", workingEmoji: " " });
  assert.deepEqual([readReceiptEmoji, workingEmoji], [null, null]);
});
