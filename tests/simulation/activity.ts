/**
 * What runs in one life of the gateway just now, and what must not run at the same time.
 * @module
 */

import type { EventLog } from "./event_log.ts";

/** What a piece of work must not have beside it. */
export type Exclusion = "model" | "shared" | "exclusive";

/** Counts turns at work; breaches are kept as sentences. */
export class Activity {
  readonly breaches: string[] = [];
  readonly #log: EventLog;
  readonly #permitsMax: number;
  readonly #running = new Map<string, Exclusion[]>();

  /** @param permitsMax turns at once; 0: no limit */
  constructor(log: EventLog, permitsMax: number) {
    this.#log = log;
    this.#permitsMax = permitsMax;
  }

  /** Sessions whose turns are at work. */
  get sessions(): readonly string[] {
    return [...this.#running.keys()];
  }

  /** Work of a session's turn begins; the result ends it, once. */
  begin(sessionKey: string, kind: Exclusion): () => void {
    const beside = this.#running.get(sessionKey) ?? [];
    if (beside.length > 0 && !(kind === "shared" && beside.every((other) => other === "shared"))) {
      this.#breach(`${kind} work of ${sessionKey} runs beside ${beside.join(", ")}`);
    }
    this.#running.set(sessionKey, [...beside, kind]);
    if (this.#permitsMax > 0 && this.#running.size > this.#permitsMax) {
      this.#breach(`${this.#running.size} turns at once (${this.sessions.join(", ")})`);
    }
    let hasEnded = false;
    return () => {
      if (hasEnded) return;
      hasEnded = true;
      this.#end(sessionKey, kind);
    };
  }

  #end(sessionKey: string, kind: Exclusion): void {
    const left = [...this.#running.get(sessionKey) ?? []];
    left.splice(left.indexOf(kind), 1);
    if (left.length > 0) this.#running.set(sessionKey, left);
    else this.#running.delete(sessionKey);
  }

  #breach(what: string): void {
    this.breaches.push(what);
    this.#log.add("BREACH", what);
  }
}
