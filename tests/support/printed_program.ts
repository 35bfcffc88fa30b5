/**
 * The command that `permissions` prints for a home, for tests that start a gateway with it.
 * @module
 */

import assert from "node:assert/strict";
import { z } from "zod";
import { type GatewayHome, runTroupe } from "./gateway_process.ts";

/** What `permissions --json` says. */
export interface Printed {
  readonly command: readonly string[];
  /** Values by right. */
  readonly rights: Readonly<Record<string, readonly string[]>>;
  readonly parts: readonly { readonly part: string }[];
}

const printedSchema: z.ZodType<Printed> = z.object({
  command: z.array(z.string()),
  rights: z.record(z.string(), z.array(z.string())),
  parts: z.array(z.object({ part: z.string() })),
});

/** What is printed for the configuration in a home. */
export async function printedRights(home: GatewayHome): Promise<Printed> {
  const { code, stdout, stderr } = await runTroupe(["permissions", "--json"], home.path);
  assert.equal(code, 0, stderr);
  return printedSchema.parse(JSON.parse(stdout));
}

/** The printed command without the word `gateway`. */
export async function printedProgram(home: GatewayHome): Promise<readonly string[]> {
  const { command } = await printedRights(home);
  assert.equal(command.at(-1), "gateway");
  return command.slice(0, -1);
}
