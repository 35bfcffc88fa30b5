/**
 * Loads modules of others, whose places stand in the configuration: plug-ins and hooks.
 * @module
 */

/** What a compiled program, which has no compiler, can make into JavaScript. */
const TYPESCRIPT = /\.[cm]?ts$/;

/**
 * Loads one, under the rights of whoever calls.
 *
 * @param url `npm:…`, or the URL of a module
 * @throws whatever the module throws, or is wrong with it
 */
export async function importForeign(
  url: string,
  isCompiled: boolean = Deno.build.standalone,
): Promise<unknown> {
  if (!isCompiled || !TYPESCRIPT.test(url)) return await import(url);
  const { scriptUrl } = await import("./typescript_module.ts");
  return await import(await scriptUrl(url));
}
