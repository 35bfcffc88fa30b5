/**
 * Which addresses are public: global unicast by the IANA special-purpose registries, with the IPv4
 * address judged that an IPv6 one stands for.
 * @module
 */

import { BlockList, isIP } from "node:net";

/** An address as one of the two kinds, written the one canonical way. */
export interface CanonicalAddress {
  readonly family: 4 | 6;
  readonly address: string;
}

/** Ranges that are not the public Internet, by what the refusal calls them. */
const RANGES: readonly (readonly [kind: string, ranges: readonly string[]])[] = [
  ["an unspecified address", ["0.0.0.0/8", "::/128"]],
  ["a loopback address", ["127.0.0.0/8", "::1/128"]],
  ["a private address", ["10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "fc00::/7", "fec0::/10"]],
  ["a carrier's shared address", ["100.64.0.0/10"]],
  // Where clouds keep their metadata; Azure has a second one under a public number.
  ["a link-local address", ["169.254.0.0/16", "fe80::/10", "168.63.129.16/32"]],
  ["a multicast address", ["224.0.0.0/4", "ff00::/8"]],
  ["a benchmarking address", ["198.18.0.0/15", "2001:2::/48"]],
  [
    "a documentation address",
    ["192.0.2.0/24", "198.51.100.0/24", "203.0.113.0/24", "2001:db8::/32", "3fff::/20"],
  ],
  // Protocol assignments, the former 6to4 relays, class E with broadcast; Teredo and the like;
  // NAT64 prefixes of a local network.
  [
    "a reserved address",
    ["192.0.0.0/24", "192.88.99.0/24", "240.0.0.0/4", "2001::/23", "64:ff9b:1::/48"],
  ],
];

const LISTS = RANGES.map(([kind, ranges]) => ({ kind, list: rangeList(ranges) }));
/** All of IPv6 that is handed out for public use yet. */
const GLOBAL_UNICAST_6 = rangeList(["2000::/3"]);

/**
 * Prefixes of IPv6 that carry an IPv4 address, and the byte at which it begins: mapped, compatible
 * (long given up, still understood by some), translated, NAT64, 6to4.
 */
const CARRIERS: readonly (readonly [range: BlockList, at: number])[] = [
  [rangeList(["::ffff:0:0/96"]), 12],
  [rangeList(["::/96"]), 12],
  [rangeList(["::ffff:0:0:0/96"]), 12],
  [rangeList(["64:ff9b::/96"]), 12],
  [rangeList(["2002::/16"]), 2],
];
const NONE_OR_SELF: ReadonlySet<string> = new Set(["::", "::1"]);

/**
 * A list of ranges, of both kinds: `10.0.0.0/8`, `fd00::/8`, or single addresses. Bits of the
 * host may be set.
 *
 * @throws RangeError for what is no range
 */
export function rangeList(ranges: readonly string[]): BlockList {
  const list = new BlockList();
  for (const range of ranges) {
    const [text = "", prefix] = range.split("/");
    const address = canonicalAddress(text);
    const bits = prefix === undefined ? undefined : Number(prefix);
    if (address === null) throw new RangeError(`Cannot read "${range}": it is no address range`);
    // A mapped IPv4 address would otherwise have become an IPv4 range here.
    const written = text.includes(":") ? text : address.address;
    const isIpv6 = text.includes(":");
    list.addSubnet(written, bits ?? (isIpv6 ? 128 : 32), isIpv6 ? "ipv6" : "ipv4");
  }
  return list;
}

/** The one way to write an address; null for text that is none. IPv6 zones are refused. */
export function canonicalAddress(text: string): CanonicalAddress | null {
  const family = isIP(text);
  if (family === 0 || text.includes("%")) return null;
  if (family === 4) return { family, address: text };
  const bytes = bytesOf(text);
  const mapped = isMapped(bytes) ? ipv4At(bytes, 12) : null;
  return mapped === null
    ? { family: 6, address: new URL(`http://[${text}]`).hostname.slice(1, -1) }
    : { family: 4, address: mapped };
}

/** The IPv4 address that an IPv6 one leads to, null where it is one in its own right. */
export function carriedAddress({ family, address }: CanonicalAddress): string | null {
  if (family === 4 || NONE_OR_SELF.has(address)) return null;
  const carrier = CARRIERS.find(([range]) => range.check(address, "ipv6"));
  return carrier === undefined ? null : ipv4At(bytesOf(address), carrier[1]);
}

/** What keeps an address from being public (`a private address`), or null. */
export function refusalOf(address: CanonicalAddress): string | null {
  const kind = LISTS.find(({ list }) => isIn(list, address))?.kind;
  if (kind !== undefined) return kind;
  const carried = carriedAddress(address);
  if (carried !== null) return refusalOf({ family: 4, address: carried });
  if (address.family === 6 && !isIn(GLOBAL_UNICAST_6, address)) return "a reserved address";
  return null;
}

/** Whether text is an address that anybody on the Internet could reach. */
export function isPublic(text: string): boolean {
  const address = canonicalAddress(text);
  return address !== null && refusalOf(address) === null;
}

/** Whether a range of the list has the address. */
export function isIn(list: BlockList, { family, address }: CanonicalAddress): boolean {
  return list.check(address, family === 6 ? "ipv6" : "ipv4");
}

function isMapped(bytes: Uint8Array): boolean {
  return bytes.subarray(0, 10).every((byte) => byte === 0) && bytes[10] === 255 &&
    bytes[11] === 255;
}

function ipv4At(bytes: Uint8Array, at: number): string {
  return bytes.subarray(at, at + 4).join(".");
}

/** The 16 bytes of an IPv6 address, which `URL` has brought to hextets with one gap at most. */
function bytesOf(text: string): Uint8Array {
  const [head = "", tail] = new URL(`http://[${text}]`).hostname.slice(1, -1).split("::");
  const before = head === "" ? [] : head.split(":");
  const after = tail === undefined || tail === "" ? [] : tail.split(":");
  const gap = new Array<string>(8 - before.length - after.length).fill("0");
  return new Uint8Array(
    [...before, ...gap, ...after].map((hextet) => parseInt(hextet, 16))
      .flatMap((value) => [value >> 8, value & 255]),
  );
}
