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
  if (answer?.state === "done") return tell(terminal, `Took ${id} up again`);
  return refuse(terminal, `Cannot retry "${id}": no message of this id failed; see troupe failed`);
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
  if (answer?.state === "done") return tell(terminal, `Let go of ${id}`);
  const why = id.startsWith("out-")
    ? "no reply of this id waits or is in doubt; one that failed leaves troupe failed by itself"
    : "no message of this id failed or waits; see troupe failed";
  return refuse(terminal, `Cannot drop "${id}": ${why}`);
}

function tell(terminal: Terminal, done: string): number {
  terminal.write(`${done}\n`);
  return 0;
}

function refuse(terminal: Terminal, why: string): number {
  terminal.writeError(`Error: ${why}\n`);
  return 1;
}
