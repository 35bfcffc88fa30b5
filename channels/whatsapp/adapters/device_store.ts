/**
 * The linked device on disk: its credentials, its Signal keys, and messages that were received and
 * not handed in yet. One SQLite file, for its owner's eyes only; what is written is there after a
 * crash at any moment.
 * @module
 */

import { join } from "node:path";
import { DatabaseSync, type StatementSync } from "node:sqlite";
import { z } from "zod";
import { DeviceKeys } from "./device_keys.ts";
import { Inbox } from "./inbox.ts";

const FILE_NAME = "device.sqlite";
const BUSY_TIMEOUT_MS = 5_000;
/** Sent messages that can be encrypted anew for a phone that could not read them. */
const SENT_MAX = 1_000;
/** Numbers behind ids, of people who may write. */
const PEOPLE_MAX = 10_000;

/** Digits, as the library writes them. */
const phoneSchema: z.ZodType<string | null> = z.string().regex(/^\d+$/).nullable().catch(null);

const SCHEMA = `
  create table if not exists devices (
    device integer primary key autoincrement,
    credentials text not null
  ) strict;
  create table if not exists keys (
    device integer not null,
    type text not null,
    id text not null,
    value text not null,
    primary key (device, type, id)
  ) strict, without rowid;
  create table if not exists inbox (
    number integer primary key autoincrement,
    id text not null unique,
    message text not null
  ) strict;
  create table if not exists people (lid text primary key, phone text not null) strict;
  create table if not exists sent (
    number integer primary key autoincrement,
    id text not null unique,
    message blob not null
  ) strict;
`;

/** A device: the keys it has, and the credentials it had when it was last saved. */
export interface StoredDevice {
  readonly keys: DeviceKeys;
  /** Null for one that was never saved. */
  readonly credentials: string | null;
  /** Saves its credentials; from then on this is the device that is used. */
  save(credentials: string): void;
}

/** What is stored of one account. */
export class DeviceStore implements Disposable {
  readonly inbox: Inbox;
  readonly #database: DatabaseSync;

  private constructor(database: DatabaseSync) {
    this.#database = database;
    this.inbox = new Inbox(database);
  }

  /** Opens what is in a folder, which is made if it is missing. */
  static open(folder: string): DeviceStore {
    Deno.mkdirSync(folder, { recursive: true, mode: 0o700 });
    const path = join(folder, FILE_NAME);
    Deno.openSync(path, { create: true, write: true, mode: 0o600 }).close();
    Deno.chmodSync(path, 0o600);
    const database = new DatabaseSync(path);
    try {
      database.exec(`pragma busy_timeout = ${BUSY_TIMEOUT_MS}`);
      database.exec("pragma journal_mode = wal");
      database.exec("pragma synchronous = full");
      database.exec("pragma secure_delete = on");
      database.exec(SCHEMA);
      return new DeviceStore(database);
    } catch (error) {
      database.close();
      throw error;
    }
  }

  /** The device that was linked last; null when none is. */
  current(): StoredDevice | null {
    const row = this.#database
      .prepare("select device, credentials from devices order by device desc limit 1").get();
    const device = Number(row?.["device"]);
    return row === undefined ? null : this.#device(device, String(row["credentials"]));
  }

  /** A device that is not linked yet; nothing of an older one changes before it is saved. */
  begin(): StoredDevice {
    const { top } = this.#database.prepare("select max(device) as top from devices").get() ?? {};
    const device = Number(top ?? 0) + 1;
    this.#database.prepare("delete from keys where device >= ?").run(device);
    return this.#device(device, null);
  }

  /** WhatsApp knows none of the devices any more. */
  forget(): void {
    this.#database.exec("delete from keys; delete from devices; delete from sent");
  }

  /** Remembers the number behind somebody's id. */
  learn(lid: string, phone: string): void {
    this.#database.prepare("insert or replace into people (lid, phone) values (?, ?)")
      .run(lid, phone);
    this.#database.prepare(
      "delete from people where rowid <= (select max(rowid) from people) - ?",
    ).run(PEOPLE_MAX);
  }

  /** The number behind somebody's id, if it is known. */
  phoneOf(lid: string): string | null {
    const row = this.#database.prepare("select phone from people where lid = ?").get(lid);
    return row === undefined ? this.#answeredPhone(lid) : String(row["phone"]);
  }

  /** The number as the server answered it to the library, when something was sent there. */
  #answeredPhone(lid: string): string | null {
    const text = this.current()?.keys.get("lid-mapping", `${lid}_reverse`) ?? null;
    return text === null ? null : phoneSchema.parse(JSON.parse(text));
  }

  /** Keeps a message that goes out. */
  keepSent(id: string, message: Uint8Array): void {
    this.#database.prepare("insert or replace into sent (id, message) values (?, ?)")
      .run(id, message);
    this.#database.prepare("delete from sent where number <= (select max(number) from sent) - ?")
      .run(SENT_MAX);
  }

  /** A message that went out, if it is still known. */
  sent(id: string): Uint8Array | null {
    const message = this.#database.prepare("select message from sent where id = ?").get(id)
      ?.["message"];
    return message instanceof Uint8Array ? message : null;
  }

  [Symbol.dispose](): void {
    if (this.#database.isOpen) this.#database.close();
  }

  #device(device: number, credentials: string | null): StoredDevice {
    const saving: StatementSync = this.#database.prepare(
      "insert or replace into devices (device, credentials) values (?, ?)",
    );
    return {
      keys: new DeviceKeys(this.#database, device),
      credentials,
      save: (text) => void saving.run(device, text),
    };
  }
}
