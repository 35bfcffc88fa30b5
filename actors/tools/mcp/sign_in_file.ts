/**
 * What a sign-in to a server left: tokens, and the client that they were given to. One file a
 * server in the state folder, which only the user can read.
 * @module
 */

import { createHash } from "node:crypto";
import { z } from "zod";
import { TokenFile } from "../../../providers/auth/token_file.ts";
import type { NewId } from "../../kernel/random.ts";

/** What is kept. What the protocol's library made is kept as it was. */
export interface StoredSignIn {
  /** The server it is for: tokens never go to another one. */
  readonly url: string;
  readonly client: unknown;
  readonly tokens: unknown;
  /** Where tokens are renewed. */
  readonly discovery: unknown;
}

/** The file of one server. */
export type SignInFile = TokenFile<StoredSignIn>;

const stored: z.ZodType<StoredSignIn> = z.object({
  url: z.string(),
  client: z.unknown(),
  tokens: z.unknown(),
  discovery: z.unknown(),
});

/** The file of the server that the configuration calls `server`. */
export function signInFile(stateFolder: string, server: string, newId: NewId): SignInFile {
  const isPlain = /^[\w-]{1,64}$/.test(server);
  const name = isPlain ? server : createHash("sha256").update(server).digest("hex");
  return new TokenFile(stateFolder, `mcp_${name}`, { schema: stored, newId });
}
