/**
 * Steps that the set-up of every channel is made of.
 * @module
 */

import { z } from "zod";
import { sleep } from "../actors/kernel/clock.ts";
import type { JsonObject, JsonValue } from "../actors/kernel/json.ts";
import type { ChannelManifest, ChannelSection } from "./manifest.ts";
import { type SetupCheck, SetupError, type SetupReport, type SetupScene } from "./setup.ts";

/** How long a connection may take. */
const CONNECT_MS = 20_000;
/** How long a person has for their message. */
const MESSAGE_MS = 5 * 60_000;

/** The checks of one set-up, told one by one. */
export class Checklist {
  readonly #scene: Pick<SetupScene, "tell">;
  readonly #checks: SetupCheck[] = [];

  constructor(scene: Pick<SetupScene, "tell">) {
    this.#scene = scene;
  }

  /** Tells outcomes, as soon as they are known. */
  tell(...checks: readonly SetupCheck[]): void {
    for (const check of checks) this.#scene.tell(check);
    this.#checks.push(...checks);
  }

  /** How it ended. */
  get report(): SetupReport {
    const isReady = this.#checks.every(({ state, isNeeded }) => state !== "missing" || !isNeeded);
    return { isReady, checks: this.#checks };
  }
}

/**
 * A section as the channel will read it, whatever is still missing in it.
 *
 * @throws {SetupError} names the first key that is wrong
 */
export function readSection<Section extends ChannelSection>(
  { name, schema }: Pick<ChannelManifest<Section>, "name" | "schema">,
  section: JsonObject,
): Section {
  const parsed = schema(z).safeParse(section);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const key = [`channels.${name}`, ...(issue?.path ?? [])].join(".");
  throw new SetupError("setup_incomplete", `Cannot use ${key}: ${issue?.message ?? "it is wrong"}`);
}

/** Gives a section back that lacks nothing. @throws {SetupError} says what it lacks */
export function complete<Section extends ChannelSection>(
  { displayName, missing }: Pick<ChannelManifest<Section>, "displayName" | "missing">,
  section: Section,
): Section {
  const [lack] = missing(section);
  if (lack === undefined) return section;
  throw new SetupError("setup_incomplete", `Cannot set ${displayName} up: ${lack}`);
}

/**
 * The section with the token that was given with the command, is stored, or is asked for.
 *
 * @throws {SetupError} when there is none, or it can be none
 */
export async function sectionWithToken<Section extends ChannelSection & { readonly token: string }>(
  manifest: ChannelManifest<Section>,
  scene: SetupScene,
  askToken: (scene: SetupScene) => Promise<string>,
): Promise<Section> {
  const { section, given, isForced, isInteractive } = scene;
  const stored = readSection(manifest, section);
  const token = given["token"] ?? (isForced ? "" : stored.token);
  if (token === "" && !isInteractive) {
    const message = `Cannot set ${manifest.displayName} up: give --token`;
    throw new SetupError("setup_incomplete", message);
  }
  return complete(manifest, { ...stored, token: token || await askToken(scene) });
}

/** Those of `values` that do not stand in the section yet. */
export function changesTo(
  section: JsonObject,
  values: Readonly<Record<string, JsonValue>>,
): JsonObject {
  return Object.fromEntries(
    Object.entries(values).filter(([key, value]) => section[key] !== value),
  );
}

/** Switches the channel on with credentials that work. */
export async function saveCredentials(
  { section, save }: Pick<SetupScene, "section" | "save">,
  credentials: Readonly<Record<string, JsonValue>>,
): Promise<void> {
  await save(changesTo(section, { enabled: true, ...credentials }));
}

/** Nobody wrote to the bot in time. */
export const NO_FIRST_MESSAGE: SetupCheck = {
  name: "first message",
  state: "unknown",
  isNeeded: false,
  detail: "none came",
  remedy: "find your id in the gateway's log when you write to the bot",
  url: null,
};

/** Somebody on a platform. */
export interface Person {
  readonly id: string;
  /** As the one who sets up shall see them; the id stands in it. */
  readonly shown: string;
}

/** Asks whether a person may write to the bot, unless they may. Gives who may now. */
export async function offerAccess(
  { id, shown }: Person,
  allowFrom: readonly string[],
  scene: Pick<SetupScene, "ask" | "save">,
): Promise<readonly string[]> {
  if (allowFrom.includes("*") || allowFrom.includes(id)) return allowFrom;
  const answer = await scene.ask(`${shown} may not write to the bot yet. Allow it? [Y/n] `);
  if (!/^(y|yes|)$/i.test(answer)) return allowFrom;
  const allowed = [...allowFrom, id];
  await scene.save({ allowFrom: allowed });
  return allowed;
}

/** How a first connection turned out; `late` when that is not known in time. */
export function connectedInTime<T>(
  scene: SetupScene,
  late: T,
  outcomes: readonly Promise<T>[],
): Promise<T> {
  return within(scene, CONNECT_MS, late, outcomes);
}

/** The first message; null when none comes in time, or Enter is pressed. */
export async function firstMessage<T>(scene: SetupScene, message: Promise<T>): Promise<T | null> {
  const over = new AbortController();
  const skipped = scene.ask("", { signal: over.signal }).then(() => null, () => null);
  try {
    return await within(scene, MESSAGE_MS, null, [message, skipped]);
  } finally {
    over.abort();
    await skipped;
  }
}

async function within<T>(
  { clock, signal }: SetupScene,
  timeMs: number,
  late: T,
  outcomes: readonly Promise<T>[],
): Promise<T> {
  const over = new AbortController();
  const time = sleep(clock, timeMs, AbortSignal.any([signal, over.signal])).then(() => late);
  time.catch(() => {}); // its end is nobody's business once the race is won
  try {
    return await Promise.race([...outcomes, time]);
  } finally {
    over.abort();
  }
}
