/**
 * Servers that others publish, for tests.
 * @module
 */

/** The pinned module of a server that the protocol's authors publish. */
export function serverModule(name: "everything" | "filesystem" | "memory"): string {
  return `npm:@modelcontextprotocol/server-${name}@2026.8.31`;
}
