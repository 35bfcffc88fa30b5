/**
 * One client's IMAP session (RFC 3501 with IDLE, UIDPLUS, SPECIAL-USE), as far as clients that read
 * and file mails go. What it does not know it refuses.
 * @module
 */

import { type Folder, headerOf, headerValue, type StoredMail } from "./folder.ts";
import type { LineSocket } from "./line_socket.ts";

/** What a session talks about. */
export interface ImapWorld {
  readonly user: string;
  readonly password: string;
  readonly capabilities: readonly string[];
  readonly folders: ReadonlyMap<string, Folder>;
  /** Commands as they came, without what is secret. */
  readonly commands: string[];
  /** Answers `NO` with these words to the next command that fits. */
  takeRefusal(command: string): string | null;
  /** Something was touched, and not only looked at. */
  onEffect(): void;
  now(): number;
}

/** A session, from the greeting to the end. */
export class ImapSession {
  readonly #socket: LineSocket;
  readonly #world: ImapWorld;
  #folder: Folder | null = null;
  #known = 0;
  #isIdle = false;
  readonly #tell = (): void => this.#tellOfNew();

  constructor(socket: LineSocket, world: ImapWorld) {
    this.#socket = socket;
    this.#world = world;
  }

  async run(): Promise<void> {
    const { capabilities } = this.#world;
    await this.#socket.send(`* OK [CAPABILITY ${capabilities.join(" ")}] ready`);
    try {
      for (;;) {
        const command = await this.#command();
        if (command === null || !await this.#answer(command)) return;
      }
    } finally {
      this.#leave();
    }
  }

  /** A whole command, literals in place of their counts as quoted text. */
  async #command(): Promise<string | null> {
    let whole = "";
    for (;;) {
      const line = await this.#socket.line();
      if (line === null) return null;
      const [, count, isEager] = /\{(\d+)(\+?)\}$/.exec(line) ?? [];
      if (count === undefined) return whole + line;
      if (isEager === "") await this.#socket.send("+ go on");
      const literal = await this.#socket.bytes(Number(count));
      if (literal === null) return null;
      const text = line.slice(0, line.lastIndexOf("{"));
      if (/ APPEND /i.test(text)) this.#append(text, literal);
      whole += `${text}"${/ APPEND /i.test(text) ? "" : new TextDecoder().decode(literal)}"`;
    }
  }

  /** @returns whether the session goes on */
  async #answer(command: string): Promise<boolean> {
    const [, tag = "*", rest = ""] = /^(\S+) (.*)$/s.exec(command) ?? [];
    const name = rest.replace(/^UID /i, "UID_").split(" ", 1)[0]?.toUpperCase() ?? "";
    this.#world.commands.push(/^(LOGIN|AUTHENTICATE)$/.test(name) ? name : rest);
    const refusal = this.#world.takeRefusal(rest);
    if (refusal !== null) {
      await this.#socket.send(`${tag} NO ${refusal}`);
      return true;
    }
    switch (name) {
      case "LOGIN":
      case "AUTHENTICATE":
        await this.#signIn(tag, name, rest);
        return true;
      case "LOGOUT":
        await this.#socket.send("* BYE");
        await this.#socket.send(`${tag} OK`);
        return false;
      case "IDLE":
        return await this.#idle(tag);
      default:
        await this.#socket.send(`${tag} ${await this.#simple(name, rest)}`);
        return true;
    }
  }

  async #signIn(tag: string, name: string, rest: string): Promise<void> {
    const { user, password, capabilities } = this.#world;
    let given = unquoted(rest.slice("LOGIN ".length)).join("\0");
    if (name === "AUTHENTICATE") {
      const [, , initial] = rest.split(" ");
      if (initial === undefined) await this.#socket.send("+ ");
      given = atob(initial ?? await this.#socket.line() ?? "").replace(/^[^\0]*\0/, "");
    }
    await this.#socket.send(
      given === `${user}\0${password}`
        ? `${tag} OK [CAPABILITY ${capabilities.join(" ")}] signed in`
        : `${tag} NO [AUTHENTICATIONFAILED] Authentication failed.`,
    );
  }

  async #idle(tag: string): Promise<boolean> {
    await this.#socket.send("+ idling");
    this.#isIdle = true;
    this.#tellOfNew();
    const done = await this.#socket.line();
    this.#isIdle = false;
    if (done === null) return false;
    await this.#socket.send(`${tag} OK idled`);
    return true;
  }

  async #simple(name: string, rest: string): Promise<string> {
    switch (name) {
      case "CAPABILITY":
        await this.#socket.send(`* CAPABILITY ${this.#world.capabilities.join(" ")}`);
        return "OK";
      case "NOOP":
        this.#tellOfNew();
        return "OK";
      case "ID":
        await this.#socket.send('* ID ("name" "simulator")');
        return "OK";
      case "NAMESPACE":
        await this.#socket.send('* NAMESPACE (("" "/")) NIL NIL');
        return "OK";
      case "LIST":
      case "LSUB":
        if (rest.endsWith('""')) await this.#socket.send(`* ${name} (\\Noselect) "/" ""`);
        else await this.#list(name);
        return "OK";
      case "SELECT":
      case "EXAMINE":
        return await this.#select(rest);
      case "UID_SEARCH":
        await this.#search(rest);
        return "OK";
      case "UID_FETCH":
        await this.#fetch(rest);
        return "OK";
      case "UID_STORE":
        return this.#store(rest);
      case "APPEND":
        return "OK appended";
      default:
        return "BAD unknown command";
    }
  }

  async #list(name: string): Promise<void> {
    for (const folder of this.#world.folders.values()) {
      const use = folder.name === "Sent" ? " \\Sent" : "";
      await this.#socket.send(`* ${name} (\\HasNoChildren${use}) "/" "${folder.name}"`);
    }
  }

  async #select(rest: string): Promise<string> {
    const [wanted = ""] = unquoted(rest.replace(/^\w+ /, ""));
    const folder = this.#world.folders.get(wanted);
    this.#leave();
    if (folder === undefined) return `NO [NONEXISTENT] Mailbox doesn't exist: ${wanted}`;
    this.#folder = folder;
    folder.listeners.add(this.#tell);
    this.#known = folder.mails.length;
    await this.#socket.send(`* ${folder.mails.length} EXISTS`);
    await this.#socket.send("* FLAGS (\\Seen)");
    await this.#socket.send(`* OK [UIDVALIDITY ${folder.uidValidity}]`);
    await this.#socket.send(`* OK [UIDNEXT ${folder.uidNext}]`);
    return "OK [READ-WRITE] opened";
  }

  async #search(rest: string): Promise<void> {
    const text = rest.replace(/^UID SEARCH /i, "");
    const [, first] = /UID (\d+):\*/i.exec(text) ?? [];
    const [, since] = /SINCE "?([\w-]+)"?/i.exec(text) ?? [];
    const [, name = "", wanted] = /HEADER "?([\w-]+)"? "?([^"]+)"?/i.exec(text) ?? [];
    const mails = this.#mails.filter((mail, index) =>
      (first === undefined || mail.uid >= Number(first) || index === this.#mails.length - 1) &&
      (since === undefined || mail.receivedMs >= Date.parse(`${since} UTC`)) &&
      (wanted === undefined || headerValue(mail.bytes, name).includes(wanted))
    );
    await this.#socket.send(`* SEARCH ${mails.map(({ uid }) => uid).join(" ")}`.trimEnd());
  }

  async #fetch(rest: string): Promise<void> {
    const [, , set = "", ...items] = rest.split(" ");
    const wanted = items.join(" ").toUpperCase();
    const uids = new Set(set.split(",").map(Number));
    for (const [index, mail] of this.#mails.entries()) {
      if (!uids.has(mail.uid)) continue;
      await this.#socket.write(fetched(index + 1, mail, wanted));
      if (/BODY(\.PEEK)?\[\]/.test(wanted)) this.#world.onEffect();
    }
  }

  #store(rest: string): string {
    const [, , set = "", , ...flags] = rest.split(" ");
    const uids = new Set(set.split(",").map(Number));
    for (const mail of this.#mails.filter(({ uid }) => uids.has(uid))) {
      for (const flag of flags.join(" ").match(/\\?\w+/g) ?? []) mail.flags.add(flag);
    }
    this.#world.onEffect();
    return "OK stored";
  }

  #append(text: string, mail: Uint8Array): void {
    const [name = ""] = unquoted(text.replace(/^\S+ APPEND /i, ""));
    this.#world.folders.get(name)?.add(mail, this.#world.now(), ["\\Seen"]);
    this.#world.onEffect();
  }

  get #mails(): readonly StoredMail[] {
    return this.#folder?.mails ?? [];
  }

  #tellOfNew(): void {
    if (this.#folder === null || this.#mails.length === this.#known || !this.#mayTell()) return;
    this.#known = this.#mails.length;
    this.#socket.send(`* ${this.#known} EXISTS`);
  }

  /** Between commands a server keeps quiet. */
  #mayTell(): boolean {
    return this.#isIdle || this.#world.commands.at(-1) === "NOOP";
  }

  #leave(): void {
    this.#folder?.listeners.delete(this.#tell);
    this.#folder = null;
  }
}

function fetched(number: number, mail: StoredMail, wanted: string): Uint8Array {
  const encoder = new TextEncoder();
  const parts: Uint8Array[] = [];
  const words: string[] = [`UID ${mail.uid}`];
  if (wanted.includes("RFC822.SIZE")) words.push(`RFC822.SIZE ${mail.bytes.length}`);
  if (wanted.includes("FLAGS")) words.push(`FLAGS (${[...mail.flags].join(" ")})`);
  if (wanted.includes("INTERNALDATE")) {
    words.push(`INTERNALDATE "${internalDate(mail.receivedMs)}"`);
  }
  const [, start, length] = /BODY(?:\.PEEK)?\[\]<(\d+)\.(\d+)>/.exec(wanted) ?? [];
  const [name, body] = /BODY(?:\.PEEK)?\[HEADER\]/.test(wanted)
    ? ["BODY[HEADER]", headerOf(mail.bytes)]
    : start !== undefined
    ? [`BODY[]<${start}>`, mail.bytes.slice(Number(start), Number(start) + Number(length))]
    : ["", null];
  const head = `* ${number} FETCH (${words.join(" ")}`;
  if (body === null) return encoder.encode(`${head})\r\n`);
  parts.push(encoder.encode(`${head} ${name} {${body.length}}\r\n`), body, encoder.encode(")\r\n"));
  return concat(parts);
}

const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

function internalDate(ms: number): string {
  const date = new Date(ms);
  const two = (value: number): string => String(value).padStart(2, "0");
  const day = `${two(date.getUTCDate())}-${MONTHS[date.getUTCMonth()]}-${date.getUTCFullYear()}`;
  const time = [date.getUTCHours(), date.getUTCMinutes(), date.getUTCSeconds()].map(two).join(":");
  return `${day} ${time} +0000`;
}

function unquoted(text: string): readonly string[] {
  return [...text.matchAll(/"((?:[^"\\]|\\.)*)"|(\S+)/g)]
    .map(([, quoted, word]) => quoted?.replace(/\\(.)/g, "$1") ?? word ?? "");
}

function concat(parts: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}
