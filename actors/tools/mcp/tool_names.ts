/**
 * Names under which models call what servers offer: in the letters that all providers take, no
 * longer than they allow, and the same whatever order things are listed in.
 * @module
 */

import { createHash } from "node:crypto";

/** The most that providers take. */
const NAME_CHARS_MAX = 64;
/** A server's part leaves room for that of its tools. */
const SERVER_CHARS_MAX = 30;
const HASH_CHARS = 6;

/** `mcp_<server>_` for each server; servers whose names differ have prefixes that differ. */
export function serverPrefixes(servers: readonly string[]): ReadonlyMap<string, string> {
  const prefixes = distinct(
    servers.map((server) => ({ key: server, raw: server, name: plain(server) })),
    SERVER_CHARS_MAX,
  );
  return new Map([...prefixes].map(([server, name]) => [server, `mcp_${name}_`]));
}

/** Servers as they stand in the names of their tools, which people see while those run. */
export function shownServers(servers: readonly string[]): readonly string[] {
  return [...serverPrefixes(servers).values()].map((prefix) => prefix.slice("mcp_".length, -1));
}

/** Something to be named: `raw` as its server calls it. */
export interface Unnamed<Key> {
  readonly key: Key;
  readonly raw: string;
}

/** What names are given under. */
export interface NamingOptions {
  readonly prefix: string;
  /** Prefixes of other servers: what begins like one of them could be theirs. */
  readonly others: readonly string[];
}

/** A name for each; equal keys are the same thing. */
export function toolNames<Key>(
  items: readonly Unnamed<Key>[],
  { prefix, others }: NamingOptions,
): ReadonlyMap<Key, string> {
  const named = items.map(({ key, raw }) => {
    const name = `${prefix}${plain(raw)}`;
    const isTheirs = others.some((other) => other.length > prefix.length && name.startsWith(other));
    return { key, raw, name, mustDiffer: isTheirs };
  });
  return distinct(named, NAME_CHARS_MAX);
}

interface Named<Key> extends Unnamed<Key> {
  readonly name: string;
  readonly mustDiffer?: boolean;
}

/** Whoever had to change to fit, and now is called like another, is told apart by a hash. */
function distinct<Key>(items: readonly Named<Key>[], charsMax: number): Map<Key, string> {
  const sharing = Map.groupBy(items, ({ name }) => name);
  return new Map(items.map(({ key, raw, name, mustDiffer = false }) => {
    const others = new Set(sharing.get(name)?.map((item) => item.raw));
    others.delete(raw);
    const isOwner = plain(raw) === raw;
    const isSpoilt = !/[A-Za-z0-9]/.test(plain(raw));
    const fits = name.length <= charsMax;
    if (fits && !isSpoilt && !mustDiffer && (others.size === 0 || isOwner)) return [key, name];
    const suffix = `_${hash(raw)}`;
    return [key, `${name.slice(0, charsMax - suffix.length)}${suffix}`];
  }));
}

function plain(raw: string): string {
  return raw.replaceAll(/[^A-Za-z0-9_-]+/g, "_");
}

function hash(raw: string): string {
  return createHash("sha256").update(raw).digest("hex").slice(0, HASH_CHARS);
}
