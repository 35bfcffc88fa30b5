/**
 * What every backend does, whatever protocol it speaks.
 * @module
 */

import { testCalls, testText } from "./provider/answers.ts";
import { testEndings } from "./provider/endings.ts";
import { testFaults } from "./provider/faults.ts";
import { type ConnectBackend, Contract } from "./provider/harness.ts";
import { testRequests } from "./provider/requests.ts";

export type { ConnectBackend, ConnectedBackend } from "./provider/harness.ts";

/** Registers the suite for one backend. */
export function testProviderContract(name: string, connect: ConnectBackend): void {
  const contract = new Contract(name, connect);
  testText(contract);
  testCalls(contract);
  testRequests(contract);
  testFaults(contract);
  testEndings(contract);
}
