/**
 * The program's version.
 * @module
 */

import project from "../../deno.json" with { type: "json" };

/** As in `deno.json`. */
export const VERSION: string = project.version;
