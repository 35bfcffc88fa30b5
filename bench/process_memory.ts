/**
 * The memory of a process, seen from outside.
 * @module
 */

const BYTES_PER_MB = 1_000_000;
/** The engine gives garbage back once it has been idle for 30 s, in two steps. */
const SETTLE_MS = 45_000;

/** Resident memory in MB (10^6 bytes), all threads included; Linux only. */
export async function residentMb(pid: number): Promise<number> {
  const status = await Deno.readTextFile(`/proc/${pid}/status`);
  const kilobytes = /^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1];
  if (kilobytes === undefined) throw new Error(`Cannot measure process ${pid}: it has no VmRSS`);
  return Number(kilobytes) * 1024 / BYTES_PER_MB;
}

/** The same after the process was left alone for a while, so that no garbage is counted. */
export async function settledMb(pid: number): Promise<number> {
  await new Promise<void>((resolve) => setTimeout(resolve, SETTLE_MS));
  return await residentMb(pid);
}
