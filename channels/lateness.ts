/**
 * How late a message comes. Platforms repeat for hours what nobody took, and their clocks need not
 * agree with ours.
 * @module
 */

/** Below this nobody minds. */
const LATE_MS = 10 * 60_000;
/** Past a platform's last repetition: what looks older comes from a clock that is wrong. */
const REPEATED_MS_MAX = 8 * 3_600_000;

/** Measures lateness against the least late message so far, which tells the clocks' difference. */
export class Lateness {
  readonly #repeatedMsMax: number;
  #leastMs = 0;
  #isFirst = true;

  /** @param repeatedMsMax for how long the platform brings what nobody took */
  constructor(repeatedMsMax: number = REPEATED_MS_MAX) {
    this.#repeatedMsMax = repeatedMsMax;
  }

  /**
   * How late a message is, in milliseconds; 0 for one that comes in time.
   *
   * @param createTime epoch milliseconds by the platform's clock, as text
   */
  of(createTime: string, nowMs: number): number {
    const createdMs = Number(createTime);
    if (createTime === "" || !Number.isFinite(createdMs)) return 0;
    const passedMs = nowMs - createdMs;
    // Until a second message came, our clock is taken to be right.
    const lateMs = passedMs - this.#leastMs;
    this.#leastMs = this.#isFirst ? passedMs : Math.min(this.#leastMs, passedMs);
    this.#isFirst = false;
    return lateMs >= LATE_MS && lateMs <= this.#repeatedMsMax ? lateMs : 0;
  }
}

/** Tells the model of a message that came late; "" for one that came in time. */
export function lateNote(lateMs: number): string {
  return lateMs === 0 ? "" : `[sent ${durationText(lateMs)} ago, delivered late]`;
}

/** `2 h 5 min`. */
export function durationText(ms: number): string {
  const minutes = Math.round(ms / 60_000);
  const hours = Math.floor(minutes / 60);
  return hours === 0 ? `${minutes} min` : `${hours} h ${minutes % 60} min`;
}
