/**
 * The long connection's frame (protobuf, proto2), by hand: nine fields need no library, and a
 * second codec beside the SDK's own shows mistakes that a shared one would hide.
 * @module
 */

/** A key and a value that travel with a frame. */
export interface FrameHeader {
  readonly key: string;
  readonly value: string;
}

/** One binary WebSocket message. The ids exceed 2^53 and are echoed exactly. */
export interface Frame {
  readonly seqId: bigint;
  readonly logId: bigint;
  readonly service: number;
  /** 0 control, 1 data. */
  readonly method: number;
  readonly headers: readonly FrameHeader[];
  readonly payloadEncoding?: string | undefined;
  readonly payloadType?: string | undefined;
  readonly payload?: Uint8Array | undefined;
  readonly logIdNew?: string | undefined;
}

/** `method` of ping and pong. */
export const METHOD_CONTROL = 0;
/** `method` of events and their acknowledgements. */
export const METHOD_DATA = 1;

const WIRE_VARINT = 0;
const WIRE_FIXED64 = 1;
const WIRE_BYTES = 2;
const WIRE_FIXED32 = 5;

/** The value of the header `key`, or undefined; the last one wins. */
export function headerOf(frame: Frame, key: string): string | undefined {
  return frame.headers.findLast((header) => header.key === key)?.value;
}

/** The frame as bytes; required fields are written even when they are zero. */
export function encodeFrame(frame: Frame): Uint8Array<ArrayBuffer> {
  const out: number[] = [];
  writeVarintField(out, 1, frame.seqId);
  writeVarintField(out, 2, frame.logId);
  writeVarintField(out, 3, BigInt(frame.service));
  writeVarintField(out, 4, BigInt(frame.method));
  for (const { key, value } of frame.headers) {
    const header: number[] = [];
    writeTextField(header, 1, key);
    writeTextField(header, 2, value);
    writeBytesField(out, 5, header);
  }
  if (frame.payloadEncoding !== undefined) writeTextField(out, 6, frame.payloadEncoding);
  if (frame.payloadType !== undefined) writeTextField(out, 7, frame.payloadType);
  if (frame.payload !== undefined) writeBytesField(out, 8, frame.payload);
  if (frame.logIdNew !== undefined) writeTextField(out, 9, frame.logIdNew);
  return Uint8Array.from(out);
}

/**
 * Reads a frame; fields it does not know are skipped.
 *
 * @throws {SyntaxError} when the bytes are no frame or lack a required field
 */
export function decodeFrame(bytes: Uint8Array): Frame {
  const numbers = new Map<number, bigint>();
  const texts = new Map<number, string>();
  const headers: FrameHeader[] = [];
  let payload: Uint8Array | undefined;
  for (const { number, value } of readFields(bytes)) {
    if (typeof value === "bigint") numbers.set(number, value);
    else if (number === 5) headers.push(decodeHeader(value));
    else if (number === 8) payload = value;
    else texts.set(number, new TextDecoder().decode(value));
  }
  return {
    seqId: required(numbers, 1),
    logId: required(numbers, 2),
    service: Number(BigInt.asIntN(32, required(numbers, 3))),
    method: Number(BigInt.asIntN(32, required(numbers, 4))),
    headers,
    payloadEncoding: texts.get(6),
    payloadType: texts.get(7),
    payload,
    logIdNew: texts.get(9),
  };
}

function decodeHeader(bytes: Uint8Array): FrameHeader {
  const texts = new Map<number, string>();
  for (const { number, value } of readFields(bytes)) {
    if (typeof value !== "bigint") texts.set(number, new TextDecoder().decode(value));
  }
  return { key: required(texts, 1), value: required(texts, 2) };
}

function required<V>(values: ReadonlyMap<number, V>, number: number): V {
  const value = values.get(number);
  if (value === undefined) throw new SyntaxError(`Cannot read a frame: field ${number} is missing`);
  return value;
}

interface Field {
  readonly number: number;
  readonly value: bigint | Uint8Array;
}

function* readFields(bytes: Uint8Array): Generator<Field> {
  let offset = 0;
  const readVarint = (): bigint => {
    let value = 0n;
    for (let shift = 0n; shift < 70n; shift += 7n) {
      const byte = bytes[offset++];
      if (byte === undefined) throw new SyntaxError("Cannot read a frame: it ends in a number");
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return BigInt.asUintN(64, value);
    }
    throw new SyntaxError("Cannot read a frame: a number is longer than ten bytes");
  };
  const readBytes = (length: number): Uint8Array => {
    const end = offset + length;
    if (end > bytes.length) throw new SyntaxError("Cannot read a frame: it ends in a field");
    const slice = bytes.subarray(offset, end);
    offset = end;
    return slice;
  };
  while (offset < bytes.length) {
    const tag = readVarint();
    const number = Number(tag >> 3n);
    const wireType = Number(tag & 7n);
    if (wireType === WIRE_VARINT) yield { number, value: readVarint() };
    else if (wireType === WIRE_BYTES) yield { number, value: readBytes(Number(readVarint())) };
    else if (wireType === WIRE_FIXED64) readBytes(8);
    else if (wireType === WIRE_FIXED32) readBytes(4);
    else throw new SyntaxError(`Cannot read a frame: wire type ${wireType} does not exist`);
  }
}

function writeVarint(out: number[], value: bigint): void {
  let rest = BigInt.asUintN(64, value);
  while (rest >= 0x80n) {
    out.push(Number(rest & 0x7fn) | 0x80);
    rest >>= 7n;
  }
  out.push(Number(rest));
}

function writeVarintField(out: number[], number: number, value: bigint): void {
  writeVarint(out, BigInt((number << 3) | WIRE_VARINT));
  writeVarint(out, value);
}

function writeBytesField(out: number[], number: number, bytes: ArrayLike<number>): void {
  writeVarint(out, BigInt((number << 3) | WIRE_BYTES));
  writeVarint(out, BigInt(bytes.length));
  for (let index = 0; index < bytes.length; index++) out.push(bytes[index] ?? 0);
}

function writeTextField(out: number[], number: number, text: string): void {
  writeBytesField(out, number, new TextEncoder().encode(text));
}
