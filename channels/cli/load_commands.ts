/**
 * The way from the command line to the commands.
 * @module
 */

/**
 * What loads the commands. The module is not named in the `import` itself: Deno reads everything
 * that an `import` names, run or not, so that help would wait for every module of the program.
 */
export async function loadCommands(): Promise<typeof import("./command_modules.ts")> {
  return await import(new URL("./command_modules.ts", import.meta.url).href);
}
