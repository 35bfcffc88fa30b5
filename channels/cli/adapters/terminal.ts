/**
 * The terminal of this process.
 * @module
 */

import { writeAllSync } from "../../../actors/kernel/adapters/write_all.ts";

/** Where a command writes, and what it knows of its surroundings. */
export interface Terminal {
  /** Standard output. */
  readonly write: (text: string) => void;
  /** Standard error: logs and problems. */
  readonly writeError: (text: string) => void;
  /** Nobody reads standard output any more (a closed pipe). @default somebody does */
  readonly hasLeft?: () => boolean;
  /** Standard output is a terminal. */
  readonly isInteractive: boolean;
  /** Standard error is a terminal that wants colours (`NO_COLOR` is not set). */
  readonly hasColors: boolean;
  /** Standard output is a terminal in which what stands there can be written over. @default false */
  readonly canRedraw?: boolean;
  /** Standard output is a terminal that shows bold, underlines and colours. @default false */
  readonly hasStyles?: boolean;
  /** Characters in a line of standard output, as the window is now. @default COLUMNS_USUAL */
  readonly columns?: () => number;
  /** Lines of the window as it is now; undefined where nothing tells. @default nothing tells */
  readonly rows?: () => number | undefined;
}

/** What a line is taken to hold where nothing tells. */
export const COLUMNS_USUAL = 80;

/** What writing to nobody fails with. */
const GONE: ReadonlySet<unknown> = new Set(["EPIPE", "EIO"]);

/** This process's own. */
export function systemTerminal(): Terminal {
  const wantsStyles = !Deno.noColor && !isDumb();
  let hasLeft = false;
  return {
    write: (text) => hasLeft = !write(Deno.stdout, text) || hasLeft,
    writeError: (text) => {
      try {
        write(Deno.stderr, text);
      } catch {
        // A problem that cannot be told (a full disk behind it) is not to become another one.
      }
    },
    hasLeft: () => hasLeft,
    isInteractive: Deno.stdout.isTerminal(),
    hasColors: Deno.stderr.isTerminal() && wantsStyles,
    canRedraw: Deno.stdout.isTerminal() && !isDumb(),
    hasStyles: Deno.stdout.isTerminal() && wantsStyles,
    columns,
    rows,
  };
}

/** A terminal that can only add to what it shows (`TERM=dumb`): Emacs' shell, a line printer. */
export function isDumb(): boolean {
  // Under exact rights the name may be out of reach, and asking for it would ask the person.
  const { state } = Deno.permissions.querySync({ name: "env", variable: "TERM" });
  return state === "granted" && Deno.env.get("TERM") === "dumb";
}

function columns(): number {
  try {
    return Deno.consoleSize().columns || COLUMNS_USUAL;
  } catch {
    return COLUMNS_USUAL; // no console, or none that tells
  }
}

function rows(): number | undefined {
  try {
    return Deno.consoleSize().rows || undefined;
  } catch {
    return undefined;
  }
}

/** A reader that has gone away is no reason to fail. @returns whether one reads */
function write(stream: typeof Deno.stdout | typeof Deno.stderr, text: string): boolean {
  try {
    writeAllSync(stream, new TextEncoder().encode(text));
    return true;
  } catch (error) {
    if (!hasGone(error)) throw error;
    return false;
  }
}

/** A pipe whose other end is closed, or a terminal whose connection was cut. */
export function hasGone(error: unknown): boolean {
  return error instanceof Error && "code" in error && GONE.has(error.code);
}
