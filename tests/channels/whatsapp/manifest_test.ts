import assert from "node:assert/strict";
import { z } from "zod";
import { isListed, personOf } from "../../../channels/whatsapp/ids.ts";
import { manifest } from "../../../channels/whatsapp/manifest.ts";
import { piecesOf } from "../../../channels/whatsapp/render/pieces.ts";
import { visible } from "../../simulators/whatsapp/visible.ts";

const schema = manifest.schema(z);

Deno.test("The WhatsApp Worker reaches WhatsApp's hosts and nothing else", () => {
  assert.deepEqual(manifest.hosts(schema.parse({})), [
    "web.whatsapp.com:443",
    "*.whatsapp.net:443",
  ]);
});

Deno.test("The WhatsApp section reads the keys of a bridge", () => {
  const section = schema.parse({ bridgeUrl: "ws://localhost:3001", bridgeToken: "x" });
  assert.equal(section.bridgeUrl, "ws://localhost:3001");
  assert.equal(section.groupPolicy, "open");
});

Deno.test.each([
  { entry: "+1 (555) 123-4567", isIn: true },
  { entry: "15551234567@s.whatsapp.net", isIn: true },
  { entry: "987654", isIn: true },
  { entry: "987654@lid", isIn: true },
  { entry: "*", isIn: true },
  { entry: "15551234567@lid", isIn: false },
  { entry: "1555", isIn: false },
  { entry: "", isIn: false },
  { entry: "alice", isIn: false },
])("WhatsApp's list takes $entry for a person: $isIn", ({ entry, isIn }) => {
  const person = personOf("15551234567:3@s.whatsapp.net", "987654@lid");
  assert.equal(isListed(person, [entry]), isIn);
});

Deno.test("WhatsApp cuts a long text into messages within the limit, and loses no word", () => {
  const words = Array.from({ length: 900 }, (_, index) => `word${index}`);
  const pieces = piecesOf(`**${words.join(" ")}**`, { isPlain: false, unitsMax: 400 });
  assert.ok(pieces.every((piece) => piece.length <= 400 && /^\*.*\*$/s.test(piece)));
  const shown = pieces.map((piece) => visible(piece).text).join(" ");
  assert.deepEqual(shown.split(/\s+/), words);
});
