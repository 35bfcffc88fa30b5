/**
 * Writing to the end: files and sockets may take a part of what they are given, as a disk does that
 * fills up.
 * @module
 */

/** Writes all bytes, by way of a thread. */
export async function writeAll(
  target: { write(bytes: Uint8Array): Promise<number> },
  bytes: Uint8Array,
): Promise<void> {
  for (let written = 0; written < bytes.length;) {
    written += await target.write(bytes.subarray(written));
  }
}

/** The same at once, for what is short. */
export function writeAllSync(
  target: { writeSync(bytes: Uint8Array): number },
  bytes: Uint8Array,
): void {
  for (let written = 0; written < bytes.length;) {
    written += target.writeSync(bytes.subarray(written));
  }
}
