/**
 * Programs of this machine that a command runs for its user.
 * @module
 */

/** How a program ended. */
export interface ProgramEnd {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Variables that programs get. */
export type ProgramVariables = Readonly<Record<string, string>>;

/** A service may take most of a minute to stop; a manager that hangs is not waited for. */
const PROGRAM_MS = 120_000;

/** Runs a program to its end, or ends it; null where there is none of that name. */
export async function runProgram(
  words: readonly string[],
  variables: ProgramVariables,
  timeoutMs: number = PROGRAM_MS,
): Promise<ProgramEnd | null> {
  const [program = "", ...args] = words;
  try {
    const signal = AbortSignal.timeout(timeoutMs);
    const options = { args, env: { ...variables }, stdin: "null", signal } as const;
    const { code, stdout, stderr } = await new Deno.Command(program, options).output();
    const decoder = new TextDecoder();
    return { code, stdout: decoder.decode(stdout), stderr: decoder.decode(stderr) };
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return null;
    throw error;
  }
}

/** Runs a program that writes where this process writes; null where there is none of that name. */
export async function showProgram(
  words: readonly string[],
  variables: ProgramVariables,
): Promise<number | null> {
  const [program = "", ...args] = words;
  try {
    const options = { args, env: { ...variables }, stdin: "null" } as const;
    const child = new Deno.Command(program, options).spawn();
    return (await child.status).code;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return null;
    throw error;
  }
}

/** The number of whom this process runs as; 0 where systems have none. */
export function userId(): number {
  return Deno.uid() ?? 0;
}

/** The variables of this process. */
export function variablesNow(): Readonly<Record<string, string>> {
  return Deno.env.toObject();
}
