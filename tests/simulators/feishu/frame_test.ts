/**
 * The frame codec against bytes captured from the official SDK.
 * @module
 */

import assert from "node:assert/strict";
import fc from "fast-check";
import { decodeFrame, encodeFrame, type Frame, headerOf } from "./frame.ts";

const PING: Frame = {
  seqId: 0n,
  logId: 0n,
  service: 33_554_678,
  method: 0,
  headers: [{ key: "type", value: "ping" }],
};
const DATA_HEADERS = [
  { key: "type", value: "event" },
  { key: "message_id", value: "m1" },
  { key: "sum", value: "1" },
  { key: "seq", value: "0" },
  { key: "trace_id", value: "t1" },
];
const EVENT = '{"schema":"2.0","header":{"event_type":"x.y"},"event":{}}';
const DATA: Frame = {
  seqId: 7n,
  logId: 9n,
  service: 33_554_678,
  method: 1,
  headers: DATA_HEADERS,
  payload: new TextEncoder().encode(EVENT),
  logIdNew: "L",
};
const ACKNOWLEDGEMENT: Frame = {
  ...DATA,
  headers: [...DATA_HEADERS, { key: "biz_rt", value: "-1" }],
  payload: new TextEncoder().encode('{"code":200,"data":"Im5vIHgueSBldmVudCBoYW5kbGUi"}'),
};

const VECTORS = [
  {
    name: "a ping",
    frame: PING,
    hex: "0800100018f681801020002a0c0a0474797065120470696e67",
  },
  {
    name: "an event",
    frame: DATA,
    hex:
      "0807100918f681801020012a0d0a047479706512056576656e742a100a0a6d6573736167655f696412026d31" +
      "2a080a0373756d1201312a080a037365711201302a0e0a0874726163655f69641202743142397b22736368656d" +
      "61223a22322e30222c22686561646572223a7b226576656e745f74797065223a22782e79227d2c226576656e74" +
      "223a7b7d7d4a014c",
  },
  {
    name: "an acknowledgement",
    frame: ACKNOWLEDGEMENT,
    hex:
      "0807100918f681801020012a0d0a047479706512056576656e742a100a0a6d6573736167655f696412026d31" +
      "2a080a0373756d1201312a080a037365711201302a0e0a0874726163655f6964120274312a0c0a0662697a5f72" +
      "7412022d3142327b22636f6465223a3230302c2264617461223a22496d3576494867756553426c646d56756443" +
      "426f5957356b62475569227d4a014c",
  },
];

Deno.test.each(VECTORS)("encodeFrame writes $name as the SDK does", ({ frame, hex }) => {
  assert.equal(encodeFrame(frame).toHex(), hex);
});

Deno.test.each(VECTORS)("decodeFrame reads $name as the SDK wrote it", ({ frame, hex }) => {
  assert.partialDeepStrictEqual(decodeFrame(Uint8Array.fromHex(hex)), frame);
});

Deno.test("decodeFrame gives back what encodeFrame wrote", () => {
  const optionalText = fc.option(fc.string(), { nil: undefined });
  const frames = fc.record({
    seqId: fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }),
    logId: fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }),
    service: fc.integer(),
    method: fc.integer(),
    headers: fc.array(fc.record({ key: fc.string(), value: fc.string() })),
    payloadEncoding: optionalText,
    payloadType: optionalText,
    payload: fc.option(fc.uint8Array(), { nil: undefined }),
    logIdNew: optionalText,
  });
  fc.assert(fc.property(frames, (frame) => {
    const { payload, ...rest } = decodeFrame(encodeFrame(frame));
    const { payload: wanted, ...wantedRest } = frame;
    assert.deepEqual(
      { ...rest, headers: rest.headers.map((header) => ({ ...header })) },
      { ...wantedRest, headers: wantedRest.headers.map(({ key, value }) => ({ key, value })) },
    );
    assert.deepEqual(payload && [...payload], wanted && [...wanted]);
  }));
});

Deno.test("decodeFrame skips fields it does not know", () => {
  const unknown = "a00601" + "aa0603616263" + "ad0601020304" + "a9060102030405060708";
  const [ping] = VECTORS;
  const bytes = Uint8Array.fromHex(unknown + (ping?.hex ?? ""));
  assert.equal(headerOf(decodeFrame(bytes), "type"), "ping");
});

Deno.test.each([
  { what: "nothing", hex: "" },
  { what: "a frame without its method", hex: "0800100018f6818010" },
  { what: "a field cut short", hex: "08001000180020002a0c0a04" },
  { what: "a number cut short", hex: "08ff" },
  { what: "a group", hex: "0b" },
  { what: "an endless number", hex: "08ffffffffffffffffffffff01" },
])("decodeFrame refuses $what", ({ hex }) => {
  assert.throws(() => decodeFrame(Uint8Array.fromHex(hex)), SyntaxError);
});
