/**
 * The sessions' files on disk, in one folder that only the gateway writes to.
 * @module
 */

import { DiskTextFiles } from "../../kernel/adapters/text_files.ts";
import type { SessionFiles } from "../ports.ts";

/** Session files below a folder, which is made with the first of them. Errors are Deno's own. */
export class DiskSessionFiles extends DiskTextFiles implements SessionFiles {}
