/**
 * Ids of tool calls in the form that a vendor takes.
 * @module
 */

import { createHash } from "node:crypto";
import type { CallIdForm } from "../trait_kinds.ts";

interface Form {
  readonly valid: RegExp;
  /** An id of this form for any text and try. */
  readonly make: (id: string, attempt: number) => string;
}

const FORMS: Readonly<Record<Exclude<CallIdForm, "any">, Form>> = {
  nine: { valid: /^[A-Za-z0-9]{9}$/, make: (id, attempt) => digest(id, attempt).slice(0, 9) },
  word_40: wordForm(40),
  word_64: wordForm(64),
};

/** Hexadecimal digits that tell shortened ids apart. */
const DIGEST_CHARS = 8;

/**
 * The ids of one request. Each id that fits stays; another gets a form that fits, the same in
 * every request of a conversation, so that prompt caches hold. A call and its result always have
 * the same id. Vendors that care for the form also want no id twice in a conversation.
 */
export class CallIds {
  readonly #form: Form | undefined;
  readonly #taken = new Set<string>();
  /** By our id: the one that its newest call has on the wire. */
  readonly #newest = new Map<string, string>();

  constructor(form: CallIdForm) {
    this.#form = form === "any" ? undefined : FORMS[form];
  }

  /** The id for a call, which comes before its result. */
  forCall(id: string): string {
    if (this.#form === undefined) return id;
    let wireId = id;
    for (let attempt = 0; !this.#form.valid.test(wireId) || this.#taken.has(wireId); attempt++) {
      wireId = this.#form.make(id, attempt);
    }
    this.#taken.add(wireId);
    this.#newest.set(id, wireId);
    return wireId;
  }

  /** The id for the result of the newest call with this id. */
  forResult(id: string): string {
    return this.#newest.get(id) ?? id;
  }
}

function wordForm(charsMax: number): Form {
  const valid = new RegExp(`^[\\w-]{1,${charsMax}}$`);
  return {
    valid,
    make: (id, attempt) => {
      const kept = id.replaceAll(/[^\w-]/g, "_").slice(0, charsMax - DIGEST_CHARS - 1);
      return `${kept}_${digest(id, attempt).slice(0, DIGEST_CHARS)}`;
    },
  };
}

function digest(id: string, attempt: number): string {
  const text = attempt === 0 ? id : `${id}#${attempt}`;
  return createHash("sha1").update(text).digest("hex");
}
