/**
 * `failed`: the messages that did not get where they should.
 * @module
 */

import { failedRequest } from "../../../actors/gateway/control_requests.ts";
import { strandedIn } from "../../../actors/gateway/stranded.ts";
import type { Terminal } from "../adapters/terminal.ts";
import { loadAndPrepare, type LoadFlags } from "../load.ts";
import { run } from "../reach.ts";
import { strandedText } from "../stranded_text.ts";

/** Flags of the command. */
export interface FailedFlags extends LoadFlags {
  readonly json?: boolean | undefined;
  /** How many at most. */
  readonly limit: number;
}

/** Lists them, newest first; 0 whether there are any or not. */
export async function failedCommand(flags: FailedFlags, terminal: Terminal): Promise<number> {
  const loaded = await loadAndPrepare(flags, terminal, { logs: false });
  const { limit } = flags;
  const answer = await run(loaded, {
    command: "failed",
    request: failedRequest,
    params: { limit },
    offline: async (journal) => ({ messages: await strandedIn(journal).list(limit) }),
  });
  const messages = answer?.messages ?? [];
  if (flags.json === true) terminal.write(`${JSON.stringify(messages, null, 2)}\n`);
  else terminal.write(strandedText(messages, limit));
  return 0;
}
