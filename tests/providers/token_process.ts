/**
 * A process that needs tokens of Codex: prints them. Arguments: state folder, issuer, now (epoch
 * milliseconds).
 * @module
 */

import { codexTokens } from "../../providers/auth/codex_tokens.ts";
import { ManualClock } from "../support/manual_clock.ts";

const [stateFolder = "", issuer = "", nowMs = ""] = Deno.args;
const { access } = await codexTokens(stateFolder, {
  clock: new ManualClock(Number(nowMs)),
  newId: () => crypto.randomUUID(),
  issuer,
  homeFolder: stateFolder,
}).get();
await Deno.stdout.write(new TextEncoder().encode(access));
