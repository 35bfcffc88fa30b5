/**
 * The request that has a gateway read its configuration now.
 * @module
 */

import { z } from "zod";
import { type ControlRequest, query } from "../control.ts";
import type { ConfigOutcome } from "./config_keeper.ts";

const outcome: z.ZodType<ConfigOutcome> = z.discriminatedUnion("state", [
  z.object({ state: z.literal("unchanged") }),
  z.object({
    state: z.literal("applied"),
    changes: z.object({
      applied: z.array(z.string()),
      channels: z.array(z.string()),
      waiting: z.array(z.string()),
    }),
  }),
  z.object({ state: z.literal("refused"), problem: z.string() }),
]);

/** Reads the configuration, and says what came of it. */
export const reloadRequest: ControlRequest<Record<string, never>, ConfigOutcome> = query(
  "config_reload",
  { params: z.strictObject({}), result: outcome },
);
