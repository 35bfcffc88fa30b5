/**
 * WhatsApp's addresses: people go by a number (`15551234567@s.whatsapp.net`), or by an id that hides
 * it (`9876@lid`); each may name a device as well (`15551234567:3@…`).
 * @module
 */

/** The ending of an address of a person's number. */
export const PHONE_SERVER = "s.whatsapp.net";
const LID_SERVERS: ReadonlySet<string> = new Set(["lid", "lid.whatsapp.net", "hosted.lid"]);
const PHONE_SERVERS: ReadonlySet<string> = new Set([PHONE_SERVER, "c.us", "hosted"]);
const GROUP_ENDING = "@g.us";

/** A person by what is known of them, digits only. */
export interface PersonIds {
  readonly phone: string | null;
  /** The id that hides the number. */
  readonly lid: string | null;
}

/** Is it the address of a group? */
export function isGroup(jid: string): boolean {
  return jid.endsWith(GROUP_ENDING);
}

/** The digits of a person's address and its kind; null for any other address. */
export function personIn(
  jid: string | null | undefined,
): { readonly kind: "phone" | "lid"; readonly digits: string } | null {
  const [, digits = "", server = ""] = /^(\d+)(?:_\d+)?(?::\d+)?@(.+)$/.exec(jid ?? "") ?? [];
  if (digits === "") return null;
  if (LID_SERVERS.has(server)) return { kind: "lid", digits };
  return PHONE_SERVERS.has(server) ? { kind: "phone", digits } : null;
}

/** A person by the addresses that a message gives. */
export function personOf(...jids: readonly (string | null | undefined)[]): PersonIds {
  const people = jids.map(personIn);
  const digitsOf = (wanted: "phone" | "lid"): string | null =>
    people.find((person) => person?.kind === wanted)?.digits ?? null;
  return { phone: digitsOf("phone"), lid: digitsOf("lid") };
}

/** What a person is called where one id is wanted: their number, if it is known. */
export function idOf({ phone, lid }: PersonIds): string {
  return phone ?? lid ?? "";
}

/** Where to write to a person. */
export function addressOf({ phone, lid }: PersonIds): string {
  return phone === null ? `${lid ?? ""}@lid` : `${phone}@${PHONE_SERVER}`;
}

/** Do both name the same person, by number or id? */
export function isSame(one: PersonIds, other: PersonIds): boolean {
  return (one.phone !== null && one.phone === other.phone) ||
    (one.lid !== null && one.lid === other.lid);
}

/**
 * Is a person in a list? Numbers are compared by their digits: `+1 (555) 123-4567` and
 * `15551234567@s.whatsapp.net` are the same.
 */
export function isListed({ phone, lid }: PersonIds, allowFrom: readonly string[]): boolean {
  return allowFrom.some((entry) => {
    const text = entry.trim();
    if (text === "*") return true;
    const person = personIn(text);
    if (person?.kind === "lid") return person.digits === lid;
    const digits = person?.digits ?? (/^[+\d\s().-]+$/.test(text) ? text.replace(/\D/g, "") : "");
    return digits !== "" && (digits === phone || digits === lid);
  });
}
