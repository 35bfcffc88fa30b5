/**
 * Archives of one file.
 * @module
 */

/** Archives know no time before that, and the file's own is nobody's business. */
const TIME = new Date(1980, 0, 2);

/** An archive with one member. */
export async function zipped(
  name: string,
  bytes: Uint8Array<ArrayBuffer>,
): Promise<Uint8Array<ArrayBuffer>> {
  const { zipSync } = await import("fflate");
  return new Uint8Array(zipSync({ [name]: bytes }, { mtime: TIME }));
}
