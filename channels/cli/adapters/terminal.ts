/**
 * The terminal of this process.
 * @module
 */

/** Where a command writes, and what it knows of its surroundings. */
export interface Terminal {
  /** Standard output. */
  readonly write: (text: string) => void;
  /** Standard error: logs and problems. */
  readonly writeError: (text: string) => void;
  /** Standard output is a terminal. */
  readonly isInteractive: boolean;
  /** Standard error is a terminal that wants colours (`NO_COLOR` is not set). */
  readonly hasColors: boolean;
}

/** This process's own. */
export function systemTerminal(): Terminal {
  return {
    write: (text) => writeAll(Deno.stdout, text),
    writeError: (text) => writeAll(Deno.stderr, text),
    isInteractive: Deno.stdout.isTerminal(),
    hasColors: Deno.stderr.isTerminal() && !Deno.noColor,
  };
}

/** A reader that has gone away (a closed pipe) is no reason to fail. */
function writeAll(stream: typeof Deno.stdout | typeof Deno.stderr, text: string): void {
  const bytes = new TextEncoder().encode(text);
  try {
    for (let written = 0; written < bytes.length;) {
      written += stream.writeSync(bytes.subarray(written));
    }
  } catch (error) {
    if (!(error instanceof Deno.errors.BrokenPipe)) throw error;
  }
}
