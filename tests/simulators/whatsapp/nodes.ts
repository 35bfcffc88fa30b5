/**
 * Binary nodes, as server and client send them to each other.
 * @module
 */

import type { BinaryNode } from "@whiskeysockets/baileys";

/** The server's own address. */
export const SERVER = "s.whatsapp.net";

/** A node. */
export function node(
  tag: string,
  attrs?: Readonly<Record<string, string>>,
  content?: BinaryNode["content"],
): BinaryNode {
  return { tag, attrs: { ...attrs }, ...(content !== undefined && { content }) };
}

/** The children of a node, all or those of one tag. */
export function childrenOf({ content }: BinaryNode, tag?: string): readonly BinaryNode[] {
  const all = Array.isArray(content) ? content : [];
  return tag === undefined ? all : all.filter((child) => child.tag === tag);
}

/** The first child of a tag. */
export function childOf(parent: BinaryNode, tag: string): BinaryNode | undefined {
  return childrenOf(parent, tag)[0];
}

/** The bytes in a node; none where there are none. */
export function bytesIn(found: BinaryNode | undefined): Uint8Array {
  return found?.content instanceof Uint8Array ? found.content : new Uint8Array(0);
}

/** A number as so many bytes, the highest first. */
export function bigEndian(value: number, size: number): Uint8Array {
  const bytes = new Uint8Array(size);
  for (let at = 0; at < size; at++) bytes[size - 1 - at] = (value / 256 ** at) & 0xff;
  return bytes;
}
