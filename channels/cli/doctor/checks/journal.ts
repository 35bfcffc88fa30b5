/**
 * Whether the journal can be read, and what lies stranded in it.
 * @module
 */

import { hasFile } from "../../../../actors/gateway/adapters/local_folders.ts";
import { failedRequest } from "../../../../actors/gateway/control_requests.ts";
import { journalPath } from "../../../../actors/gateway/state_journal.ts";
import { strandedIn } from "../../../../actors/gateway/stranded.ts";
import { run } from "../../reach.ts";
import { type Check, LOCAL_MS, ok, warning, withConfig } from "../finding.ts";

/** More than anybody counts. */
const LIMIT = 1_000;

/** Opens it, or asks who has it. */
export const journalCheck: Check = {
  name: "Journal",
  timeoutMs: LOCAL_MS,
  takesLocks: true,
  run: withConfig(async ({ loaded }) => {
    const { stateFolder } = loaded.locations;
    if (!await hasFile(journalPath(stateFolder))) return [ok("none yet; the first start makes it")];
    const answer = await run(loaded, {
      command: "doctor",
      request: failedRequest,
      params: { limit: LIMIT },
      offline: async (journal) => ({ messages: await strandedIn(journal).list(LIMIT) }),
    });
    const count = answer?.messages.length ?? 0;
    if (count === 0) return [ok("nothing failed or is in doubt")];
    return [
      warning(
        `${count} messages failed, were parked, or are in doubt`,
        "failed lists them; retry or drop decides",
      ),
    ];
  }),
};
