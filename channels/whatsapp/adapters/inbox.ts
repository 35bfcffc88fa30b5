/**
 * Messages that were received, whose senders were told so, and that the gateway has not taken yet.
 * @module
 */

import type { DatabaseSync } from "node:sqlite";
import { type ReceivedMessage, receivedSchema } from "../wire.ts";

/** A message that waits. */
export interface InboxEntry {
  readonly number: number;
  /** Null for one that cannot be read any more. */
  readonly message: ReceivedMessage | null;
}

/** A queue on disk. */
export class Inbox {
  readonly #database: DatabaseSync;

  constructor(database: DatabaseSync) {
    this.#database = database;
  }

  /** Puts a message at the end, unless it waits already. */
  put(message: ReceivedMessage): void {
    const id = JSON.stringify([message.chatJid, message.participantJid ?? "", message.id]);
    this.#database.prepare("insert or ignore into inbox (id, message) values (?, ?)")
      .run(id, JSON.stringify(message));
  }

  /** The oldest. */
  first(): InboxEntry | null {
    const row = this.#database
      .prepare("select number, message from inbox order by number limit 1").get();
    if (row === undefined) return null;
    return { number: Number(row["number"]), message: readMessage(String(row["message"])) };
  }

  /** The gateway has it. */
  remove({ number }: InboxEntry): void {
    this.#database.prepare("delete from inbox where number = ?").run(number);
  }
}

function readMessage(text: string): ReceivedMessage | null {
  try {
    return receivedSchema.parse(JSON.parse(text));
  } catch {
    return null; // whoever asks says so
  }
}
