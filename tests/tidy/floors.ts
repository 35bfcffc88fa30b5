/**
 * The house as floors: who may import whom. `docs/architecture.md` draws it.
 * @module
 */

import type { Edge } from "./module_graph.ts";

/** Areas and their floors. An area imports itself and whatever lies below it. */
const FLOORS: readonly (readonly [area: string, floor: number])[] = [
  ["actors/kernel/", 0],
  ["actors/config/", 1],
  ["actors/journal/", 1],
  ["channels/cli/", 6],
  ["channels/", 2],
  ["providers/", 2],
  ["actors/memory/", 3],
  ["actors/tools/", 3],
  ["actors/session/", 4],
  ["actors/automation/", 4],
  ["actors/gateway/", 5],
  ["mod.ts", 7],
];

/** A folder of one channel: not those of what all channels share. */
const CHANNEL_FOLDER = /^channels\/(?!markdown\/|media\/|event_gateway\/)([^/]+)\//;

/** Whether a file belongs to the program itself. */
export function isSource(file: string): boolean {
  return areaOf(file) !== undefined;
}

/** Imports that go up, or sideways into an area of the same floor, as `from -> to`. */
export function importsAgainstTheHouse(edges: readonly Edge[]): string[] {
  return edges.filter(({ from, to }) => {
    const source = areaOf(from);
    if (source === undefined) return false;
    const target = areaOf(to);
    if (target === undefined) return isTestCode(to);
    return source !== target && source[1] <= target[1];
  }).map(({ from, to }) => `${from} -> ${to}`);
}

/** Imports from one channel's folder into another's, as `from -> to`. */
export function importsBetweenChannels(edges: readonly Edge[]): string[] {
  return edges.filter(({ from, to }) => {
    const source = CHANNEL_FOLDER.exec(from)?.[1];
    const target = CHANNEL_FOLDER.exec(to)?.[1];
    // The terminal stands on top of the house and knows of all channels by the registry alone.
    return source !== undefined && target !== undefined && source !== target;
  }).map(({ from, to }) => `${from} -> ${to}`);
}

function areaOf(file: string): readonly [string, number] | undefined {
  return FLOORS.find(([area]) => file.startsWith(area));
}

function isTestCode(file: string): boolean {
  return ["tests/", "bench/", ".ci/"].some((folder) => file.startsWith(folder));
}
