/**
 * A hook as a program: each event is a run of it, with the event as JSON on its input and the
 * answer, if it has one, as JSON on its output.
 * @module
 */

import { onAbort } from "../../../kernel/aborting.ts";
import type { JsonValue } from "../../../kernel/json.ts";
import { asError } from "../../../kernel/errors.ts";
import { stdioEnvironment } from "../../mcp/adapters/stdio_command.ts";
import { ChildShellProcess } from "../../shell/adapters/child_process.ts";
import { HookError, type RunHook } from "../hook.ts";

const ANSWER_BYTES_MAX = 64_000;
/** The end of what it wrote beside its answer, for the reason of a failure. */
const SAID_CHARS_MAX = 300;

/** What is run. */
export interface HookCommand {
  readonly words: readonly [string, ...string[]];
  /** Where it starts; absolute path. */
  readonly folder: string;
}

/** Runs it for each event, in an environment without secrets. */
export function scriptHook(command: HookCommand): RunHook {
  return async (event, signal) => {
    signal.throwIfAborted();
    await using child = start(command);
    using _listening = onAbort(signal, () => child.kill());
    return await answerOf(child, `${JSON.stringify(event)}\n`, signal);
  };
}

async function answerOf(
  child: ChildShellProcess,
  input: string,
  signal: AbortSignal,
): Promise<JsonValue> {
  const said = tail(child.stderr);
  const told = head(child.stdout, () => child.kill());
  // One that does not read its input is nevertheless heard.
  await child.write(new TextEncoder().encode(input)).catch(() => {});
  await child.closeInput();
  const { exitCode } = await child.ended;
  child.kill(); // what it started may hold its streams open
  const [output, errors] = await Promise.all([told, said]);
  signal.throwIfAborted();
  if (output === null) throw new HookError(`it said more than ${ANSWER_BYTES_MAX / 1_000} kB`);
  if (exitCode !== 0) {
    const how = exitCode === null ? "it was killed" : `it ended with code ${exitCode}`;
    throw new HookError(errors === "" ? how : `${how}: ${errors}`);
  }
  return parsed(output);
}

function start({ words: [program, ...args], folder }: HookCommand): ChildShellProcess {
  try {
    const child = new Deno.Command(program, {
      args,
      cwd: folder,
      clearEnv: true,
      env: { ...stdioEnvironment({}) },
      stdin: "piped",
      stdout: "piped",
      stderr: "piped",
      detached: true, // Ctrl-C in a terminal is for the conversation
    }).spawn();
    return new ChildShellProcess(child, true);
  } catch (error) {
    const why = error instanceof Deno.errors.NotFound
      ? `there is no program "${program}"`
      : asError(error).message;
    throw new HookError(`it cannot be started: ${why}`, { cause: error });
  }
}

/** Null when there is more than an answer may have. */
async function head(stream: ReadableStream<Uint8Array>, tooMuch: () => void) {
  const decoder = new TextDecoder();
  let text = "";
  let bytes = 0;
  for await (const chunk of stream) {
    bytes += chunk.length;
    if (bytes <= ANSWER_BYTES_MAX) text += decoder.decode(chunk, { stream: true });
    else tooMuch();
  }
  return bytes > ANSWER_BYTES_MAX ? null : text;
}

async function tail(stream: ReadableStream<Uint8Array>): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  for await (const chunk of stream) {
    text = `${text}${decoder.decode(chunk, { stream: true })}`.slice(-SAID_CHARS_MAX);
  }
  return text.trim().replaceAll(/\s+/g, " ");
}

function parsed(output: string): JsonValue {
  if (output.trim() === "") return null;
  try {
    return JSON.parse(output);
  } catch (error) {
    throw new HookError("what it said is no JSON", { cause: error });
  }
}
