/**
 * Folders on disk for one test.
 * @module
 */

/** A folder that goes, with all that is in it, when it is disposed. */
export interface TemporaryFolder extends AsyncDisposable {
  /** Absolute, symlinks resolved. */
  readonly path: string;
}

/** Makes an empty folder. */
export async function temporaryFolder(): Promise<TemporaryFolder> {
  const path = await Deno.realPath(await Deno.makeTempDir({ prefix: "troupe-test-" }));
  return { path, [Symbol.asyncDispose]: () => Deno.remove(path, { recursive: true }) };
}
