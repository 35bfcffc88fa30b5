/**
 * `retry <id>` and `drop <id>`: what becomes of a message that did not get where it should.
 * @module
 */

import { dropRequest, retryRequest } from "../../../actors/gateway/control_requests.ts";
import { strandedIn } from "../../../actors/gateway/stranded.ts";
import type { Terminal } from "../adapters/terminal.ts";
import { loadAndPrepare, type LoadFlags } from "../load.ts";
import { run } from "../reach.ts";

/** Takes a message up again; 1 when there is no such message. */
export async function retryCommand(
  id: string,
  flags: LoadFlags,
  terminal: Terminal,
): Promise<number> {
  const loaded = await loadAndPrepare(flags, terminal, { logs: false });
  const answer = await run(loaded, {
    command: "retry",
    request: retryRequest,
    params: { id },
    offline: async (journal) => ({ state: await strandedIn(journal).retry(id) }),
  });
  return tell(answer?.state === "done" ? `Took ${id} up again` : null, id, terminal);
}

/** Lets go of a message for good; 1 when there is no such message. */
export async function dropCommand(
  id: string,
  flags: LoadFlags,
  terminal: Terminal,
): Promise<number> {
  const loaded = await loadAndPrepare(flags, terminal, { logs: false });
  const answer = await run(loaded, {
    command: "drop",
    request: dropRequest,
    params: { id },
    offline: async (journal) => ({ state: await strandedIn(journal).drop(id) }),
  });
  return tell(answer?.state === "done" ? `Let go of ${id}` : null, id, terminal);
}

function tell(done: string | null, id: string, terminal: Terminal): number {
  if (done !== null) terminal.write(`${done}\n`);
  else terminal.writeError(`Error: Cannot find a failed message "${id}": see troupe failed\n`);
  return done === null ? 1 : 0;
}
