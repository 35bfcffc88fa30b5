/**
 * The network boundary: decides over an address that was asked for, and over what its host
 * resolved to. Pure: it neither resolves nor connects.
 * @module
 */

import type { BlockList } from "node:net";
import { canonicalAddress, carriedAddress, isIn, rangeList, refusalOf } from "./address_ranges.ts";
import { NetError } from "./net_error.ts";

/** What the configuration says of the network. */
export interface BoundaryRules {
  /** Ranges that are allowed although they are not public (`tools.ssrfWhitelist`). */
  readonly allowedRanges: readonly string[];
  /** `example.org` or `*.example.org`; none: every public host (`tools.allowedHosts`). */
  readonly allowedHosts: readonly string[];
}

/** An address to connect to, which has passed the boundary. */
export interface CheckedAddress {
  readonly address: string;
  readonly family: 4 | 6;
}

/** How a request may differ from what the rules say. */
export interface BoundaryExemption {
  /**
   * An origin that the owner's own configuration names (`http://10.0.0.7:8080`). It may be
   * private, and needs no place among the allowed hosts; redirects away from it are checked.
   */
  readonly ownerOrigin?: string | undefined;
}

/** Longer ones are no addresses of pages. */
const URL_CHARS_MAX = 8_192;
/** Names that never stand for a public host: RFC 6761, 6762, 8375, and ICANN's for private use. */
const PRIVATE_NAME = /(^|\.)(localhost|local|localdomain|internal|intranet|lan|home\.arpa)$/;

/** Decides what may be reached. */
export class NetBoundary {
  #allowedRanges: BlockList;
  #allowedHosts: readonly string[];

  /** @throws RangeError for a range that is none (the configuration has refused it by then) */
  constructor({ allowedRanges, allowedHosts }: BoundaryRules) {
    this.#allowedRanges = rangeList(allowedRanges);
    this.#allowedHosts = allowedHosts.map(hostRule);
  }

  /** Decides by other rules from now on. @throws RangeError as the constructor */
  change({ allowedRanges, allowedHosts }: BoundaryRules): void {
    this.#allowedRanges = rangeList(allowedRanges);
    this.#allowedHosts = allowedHosts.map(hostRule);
  }

  /**
   * Reads an address as browsers do, so that every way to write a host means the same here, and
   * refuses what needs no look-up to be refused.
   *
   * @throws {NetError} `url_invalid` or `host_refused`
   */
  parse(text: string, exemption: BoundaryExemption = {}): URL {
    const url = parseUrl(text);
    const host = this.checkHost(url.hostname, isExempt(url, exemption));
    // A trailing dot would slip past comparisons and into certificate checks, and a mapped
    // address is another name of an IPv4 one.
    url.hostname = host.includes(":") ? `[${host}]` : host;
    return url;
  }

  /**
   * The normalised name or address of a host, checked as far as it goes without a look-up.
   *
   * @throws {NetError} `url_invalid` or `host_refused`
   */
  checkHost(hostname: string, isOwners: boolean = false): string {
    const host = normalHost(hostname);
    if (host === "" || host.includes("%")) {
      throw new NetError("url_invalid", `Cannot reach "${hostname}": it is no name of a host`);
    }
    const address = canonicalAddress(host);
    if (isOwners) return address?.address ?? host;
    if (this.#allowedHosts.length > 0 && !this.#allowedHosts.some((rule) => matches(rule, host))) {
      throw new NetError(
        "host_refused",
        `Cannot reach "${host}": tools.allowedHosts does not name it`,
      );
    }
    if (address === null) return host;
    this.checkAddresses(address.address, [address.address]);
    return address.address;
  }

  /**
   * Whether all that a host resolved to may be connected to. One address that may not refuses
   * all of them: nobody lists a private address beside a public one by chance.
   *
   * @throws {NetError} `host_refused` or `host_unresolved`
   */
  checkAddresses(
    host: string,
    answers: readonly string[],
    isOwners: boolean = false,
  ): readonly CheckedAddress[] {
    if (answers.length === 0) {
      throw new NetError("host_unresolved", `Cannot reach "${host}": the name has no address`);
    }
    return answers.map((answer) => {
      const address = canonicalAddress(answer);
      const refusal = address === null ? "no usable address" : refusalOf(address);
      if (address !== null && (isOwners || refusal === null || this.#isAllowed(address))) {
        return address;
      }
      const where = answer === host ? "it is" : `it resolves to ${answer},`;
      throw new NetError("host_refused", `Cannot reach "${host}": ${where} ${refusal}, not public`);
    });
  }

  /**
   * The check that is left where a proxy does the look-up: no address that is not public, and no
   * name that cannot be.
   *
   * @throws {NetError} `host_refused`
   */
  checkUnresolved(host: string): void {
    if (canonicalAddress(host) !== null) return; // `checkHost` has judged it
    if (!PRIVATE_NAME.test(host) && host.includes(".")) return;
    throw new NetError("host_refused", `Cannot reach "${host}": it is a private name, not public`);
  }

  #isAllowed(address: CheckedAddress): boolean {
    if (isIn(this.#allowedRanges, address)) return true;
    const carried = carriedAddress(address);
    return carried !== null && isIn(this.#allowedRanges, { family: 4, address: carried });
  }
}

/** Whether the owner's configuration names exactly this origin. */
export function isExempt(url: URL, { ownerOrigin }: BoundaryExemption): boolean {
  return ownerOrigin !== undefined && url.origin === ownerOrigin;
}

function parseUrl(text: string): URL {
  const shown = text.slice(0, 200);
  const url = text.length > URL_CHARS_MAX ? null : URL.parse(text.trim());
  if (url === null) {
    throw new NetError("url_invalid", `Cannot read "${shown}": it is no address of a page`);
  }
  if (url.protocol !== "http:" && url.protocol !== "https:") {
    throw new NetError(
      "url_invalid",
      `Cannot reach ${url.protocol} addresses: only http and https ones`,
    );
  }
  if (url.username !== "" || url.password !== "") {
    throw new NetError(
      "url_invalid",
      `Cannot reach "${url.hostname}": the address carries a user name or password; leave it out`,
    );
  }
  return url;
}

/** Without brackets, trailing dot and capital letters. */
function normalHost(hostname: string): string {
  return bare(hostname).replace(/\.+$/, "").toLowerCase();
}

function bare(hostname: string): string {
  return hostname.startsWith("[") ? hostname.slice(1, -1) : hostname;
}

/** A rule as host names are compared: in the letters of DNS. */
function hostRule(written: string): string {
  const wildcard = written.startsWith("*.") ? "*." : "";
  const host = written.slice(wildcard.length);
  return wildcard + normalHost(URL.parse(`http://${host}`)?.hostname ?? host);
}

function matches(rule: string, host: string): boolean {
  return rule.startsWith("*.") ? host.endsWith(rule.slice(1)) : host === rule;
}
