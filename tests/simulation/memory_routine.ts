/**
 * What happens to the memory besides what sessions give it: Dream is due, people edit, and somebody
 * has stretches kept, each until it is known that it was.
 * @module
 */

import type { Chance } from "./chance.ts";
import type { MountedMemory, SimulatedMemory } from "./memory.ts";
import type { SimulatedTime } from "./time.ts";

/** After the world has calmed down Dream runs once more. */
const DREAM_LATER_MS = 200_000;
/** An answer that did not come by then never will: the gateway died. */
const ANSWER_MS = 70_000;
/** Names of stretches begin here, as those of messages do not. */
const FIRST_NAME = 9_001;

/** What the routine takes from its world. */
export interface MemoryRoutineOptions {
  readonly time: SimulatedTime;
  readonly chance: Chance;
  readonly memory: SimulatedMemory;
  /** From when on nothing goes wrong, since the start. */
  readonly calmFromMs: number;
  /** That of the life that runs; undefined between two. */
  readonly mounted: () => MountedMemory | undefined;
}

/** Plans all of it. */
export function planMemory(options: MemoryRoutineOptions): void {
  const { time, chance, memory, calmFromMs, mounted } = options;
  const someTime = () => chance.between(0, calmFromMs);
  const times = (atMost: number) => Array.from({ length: chance.between(0, atMost) }, someTime);
  for (const atMs of [...times(5), calmFromMs + DREAM_LATER_MS]) {
    time.setTimer(atMs, () => mounted()?.dream());
  }
  for (const atMs of times(4)) time.setTimer(atMs, () => memory.editByHand());
  for (const [index, atMs] of times(12).entries()) {
    const name = `m${FIRST_NAME + index}`;
    time.setTimer(atMs, () => {
      memory.stretches.push(name);
      keep(name, options);
    });
  }
}

/** Whoever does not know whether a stretch is kept gives it once more. */
function keep(name: string, options: MemoryRoutineOptions): void {
  const { time, chance, mounted } = options;
  const again = () => void time.setTimer(chance.between(500, 9_000), () => keep(name, options));
  const memory = mounted();
  if (memory === undefined) return again();
  let isSettled = false;
  const settle = (next: () => void) => {
    if (!isSettled) next();
    isSettled = true;
  };
  const timer = time.setTimer(ANSWER_MS, () => settle(again));
  const entry = {
    content: `- said ${name}`,
    key: name,
    sessionKey: name,
    kind: "summary",
  } as const;
  memory.archive.append(memory.archive.scopeOfSession(name), entry)
    .then(() => settle(() => {}), () => settle(again))
    .finally(() => timer.cancel());
}
