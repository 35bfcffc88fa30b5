/**
 * The fence around a restored copy: it takes nothing in and sends nothing until the owner lifts it,
 * as the original may still run.
 * @module
 */

import { z } from "zod";
import { ControlError } from "../control_errors.ts";
import type { ControlHandler } from "../control_handler.ts";

/** The file in the state folder that makes the fence. */
export const FENCE_FILE = "fence.json";

/** Since when there is a fence, and around what. */
export interface Fence {
  /** ISO: when the backup was made. */
  readonly backedUpAt: string;
  /** ISO. */
  readonly restoredAt: string;
}

const fenceSchema: z.ZodType<Fence> = z.object({ backedUpAt: z.string(), restoredAt: z.string() });

/** Of a damaged file only that there is a fence is known. */
const UNKNOWN: Fence = { backedUpAt: "unknown", restoredAt: "unknown" };

/** Reads the text of the file; null where there is none. */
export function parseFence(text: string | null): Fence | null {
  if (text === null) return null;
  try {
    return fenceSchema.safeParse(JSON.parse(text)).data ?? UNKNOWN;
  } catch {
    return UNKNOWN;
  }
}

/** What is said of it, for people. */
export function fenceLine({ backedUpAt }: Fence): string {
  return `Fenced: restored from a backup of ${backedUpAt}. No channel is on, nothing is answered or ` +
    "sent, no job runs. When the original is gone for good: restore --unfence, and start again";
}

/** The same requests, all refused. */
export function refusing(handlers: readonly ControlHandler[]): readonly ControlHandler[] {
  return handlers.map(({ name, timeoutMs }) => ({
    name,
    timeoutMs,
    answer: () => {
      const text = "Cannot do that: this is a restored copy, which is fenced (restore --unfence)";
      return Promise.reject(new ControlError("control_refused", text));
    },
  }));
}
