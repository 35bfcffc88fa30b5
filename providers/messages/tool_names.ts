/**
 * Names of tools in the form that all vendors take, and back.
 * @module
 */

/** The strictest of them want a letter first and no more characters than this. */
const VALID = /^[A-Za-z_][\w-]{0,63}$/;
const NAME_CHARS_MAX = 64;

/** The names of one request. Names that fit, which most do, stay as they are. */
export class ToolNames {
  readonly #toWire = new Map<string, string>();
  readonly #fromWire = new Map<string, string>();

  /** @param names of the tools that the model can call */
  constructor(names: readonly string[]) {
    for (const name of names) if (VALID.test(name)) this.#add(name, name);
    for (const name of names) this.toWire(name);
  }

  /** The name as it is sent. */
  toWire(name: string): string {
    const known = this.#toWire.get(name);
    if (known !== undefined) return known;
    const clean = name.replaceAll(/[^\w-]/g, "_").replace(/^(?![A-Za-z_])/, "_") || "_";
    let wireName = clean.slice(0, NAME_CHARS_MAX);
    for (let copy = 2; this.#fromWire.has(wireName); copy++) {
      const suffix = `_${copy}`;
      wireName = clean.slice(0, NAME_CHARS_MAX - suffix.length) + suffix;
    }
    this.#add(name, wireName);
    return wireName;
  }

  /** Whether a tool has this name on the wire. */
  has(wireName: string): boolean {
    return this.#fromWire.has(wireName);
  }

  /** The tool that a model means. */
  fromWire(wireName: string): string {
    return this.#fromWire.get(wireName) ?? wireName;
  }

  #add(name: string, wireName: string): void {
    this.#toWire.set(name, wireName);
    this.#fromWire.set(wireName, name);
  }
}
