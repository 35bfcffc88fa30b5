/**
 * The memory of a process, seen from outside.
 * @module
 */

const BYTES_PER_MB = 1_000_000;

/** Resident memory in MB (10^6 bytes), all threads included; Linux only. */
export async function residentMb(pid: number): Promise<number> {
  const status = await Deno.readTextFile(`/proc/${pid}/status`);
  const kilobytes = /^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1];
  if (kilobytes === undefined) throw new Error(`Cannot measure process ${pid}: it has no VmRSS`);
  return Number(kilobytes) * 1024 / BYTES_PER_MB;
}
