/**
 * Laws about the memory's files.
 * @module
 */

import { namesInFacts } from "../dreams.ts";
import { namesIn } from "../summaries.ts";
import type { FinishedWorld } from "../world.ts";
import type { Law } from "./law.ts";

/** Entries are numbered upwards, and no stretch stands there twice. */
function numbersEachEntryOnce({ memory: { entries } }: FinishedWorld): string[] {
  const breaches: string[] = [];
  const ids = new Set<string>();
  let highest = 0;
  for (const { cursor, id } of entries) {
    if (cursor <= highest) breaches.push(`entry ${cursor} comes after ${highest}`);
    if (id === undefined || ids.has(id)) breaches.push(`entry ${cursor} is one of ${id} again`);
    ids.add(id ?? "");
    highest = Math.max(highest, cursor);
  }
  return breaches;
}

/** What somebody had kept until it was known that it is stands there once. */
function keepsEachStretchOnce({ memory: { entries, stretches } }: FinishedWorld): string[] {
  const names = entries.flatMap(({ content }) => namesIn(content));
  return stretches.flatMap((name) => {
    const times = names.filter((one) => one === name).length;
    return times === 1 ? [] : [`${name} is kept ${times} times`];
  });
}

/** What Dream says it has digested stands in the facts once, and nothing else does. */
function digestsEachEntryOnce({ memory }: FinishedWorld): string[] {
  const { entries, digested, facts } = memory;
  const taken = namesInFacts(facts).toSorted();
  const due = entries.filter(({ cursor }) => cursor <= digested)
    .flatMap(({ content }) => namesIn(content)).toSorted();
  const highest = entries.at(-1)?.cursor ?? 0;
  return [
    ...(digested > highest ? [`Dream is at ${digested} of ${highest}`] : []),
    ...(taken.join(" ") === due.join(" ")
      ? []
      : [`up to ${digested} the facts tell of ${taken.join(" ")}, not of ${due.join(" ")}`]),
  ];
}

/** What people wrote into the facts by hand stands there, once. */
function keepsEditsByHand({ memory: { facts, handLines } }: FinishedWorld): string[] {
  const lines = facts.split("\n");
  return ["This line stays.", ...handLines].flatMap((wanted) => {
    const times = lines.filter((line) => line === wanted).length;
    return times === 1 ? [] : [`"${wanted}" stands ${times} times in the facts`];
  });
}

/** By their names. */
export const memoryLaws: Readonly<Record<string, Law>> = {
  numbersEachEntryOnce,
  keepsEachStretchOnce,
  digestsEachEntryOnce,
  keepsEditsByHand,
};
