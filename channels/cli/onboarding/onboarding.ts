/**
 * The first run: a model that answers, a channel, a first message; and the configuration file that
 * says so. It can be run again at any time: what stands in the file stays unless it is changed.
 * @module
 */

import { locateConfig } from "../../../actors/config/locations.ts";
import { chooseModels, modelsLine } from "../../../providers/model_choice.ts";
import { findVendor, toCamelCase } from "../../../providers/vendors.ts";
import type { SettingChange } from "../section_file.ts";
import { type ConfigDraft, draftConfig, readConfigState } from "./config_draft.ts";
import type { ProviderAnswer } from "./model_offers.ts";
import { askForModel, type ModelScene, takeModel } from "./model_step.ts";
import { choose, confirm } from "./person.ts";

/** What was wished for with flags. */
export interface Wishes {
  readonly provider?: string | undefined;
  readonly model?: string | undefined;
  readonly apiKey?: string | undefined;
  readonly apiBase?: string | undefined;
  readonly channel?: string | undefined;
  /** As it shall stand in the file. */
  readonly workspace?: string | undefined;
  /** A file that cannot be used may be moved out of the way. */
  readonly setAside: boolean;
}

/** What the first run works with. */
export interface OnboardingScene extends Omit<ModelScene, "configFile" | "text"> {
  /** A person answers; otherwise the wishes are all there is. */
  readonly isAsking: boolean;
  readonly wishes: Wishes;
  readonly configPath: string | undefined;
  readonly files: ConfigFiles;
  /** Names of the channels that can be set up here. */
  readonly channels: readonly string[];
  /** Sets one up, with live checks. @returns whether it is ready */
  readonly setUpChannel: (name: string) => Promise<boolean>;
  /** Asks the assistant something; null where that comes next anyway. @returns whether it answered */
  readonly sendTestMessage: (() => Promise<boolean>) | null;
  /** Makes what is missing in a workspace. @returns what was made */
  readonly makeWorkspace: (path: string) => Promise<readonly string[]>;
}

/** How files are replaced. */
export interface ConfigFiles {
  /** Whole, for its owner only. */
  readonly replace: (path: string, text: string) => Promise<void>;
  /** Moves the file to a name that nothing has. @returns the name */
  readonly setAside: (path: string) => Promise<string>;
}

/** How it ended. */
export type OnboardingEnd = "ready" | "failed" | "unchanged";

/** What the assistant is asked when all is set up. */
export const TEST_MESSAGE = "Hello! Introduce yourself in one or two sentences.";

/**
 * Sets everything up.
 *
 * @throws an AbortError when the person leaves; what was saved until then stays
 * @throws {ConfigError}
 */
export async function onboard(scene: OnboardingScene): Promise<OnboardingEnd> {
  const { person, wishes } = scene;
  const { configFile } = locateConfig(scene.source, scene.configPath);
  const begun = await begin(scene, configFile);
  if (begun === "broken") return "unchanged";
  const draft = await modelStep(scene, { configFile, current: begun });
  if (draft === null) return "failed";
  const finished = await save(scene, configFile, [...draft.changes, ...workspaceChange(wishes)]);
  const { workspace } = finished.loaded.locations;
  const made = await scene.makeWorkspace(workspace);
  person.say(`Workspace: ${workspace}${made.length === 0 ? "" : ` (new: ${made.join(", ")})`}`);
  const isChannelReady = await channelStep(scene, finished);
  const hasAnswered = await testStep(scene);
  return (isChannelReady || wishes.channel === undefined) && hasAnswered ? "ready" : "failed";
}

/** What is there; null for nothing. */
async function begin(
  scene: OnboardingScene,
  configFile: string,
): Promise<ConfigDraft | null | "broken"> {
  const { person, source, configPath, isAsking, wishes, files } = scene;
  const found = await readConfigState(source, configPath);
  if (found.state === "usable") {
    person.say(`There is a configuration: ${configFile}. What you do not change stays as it is.`);
    return found.draft;
  }
  if (found.state === "none") return null;
  person.refuse(found.reason);
  const isAllowed = wishes.setAside || (isAsking && await confirm(
    person,
    "Set this file aside, under another name, and begin a new one?",
    false,
  ));
  if (!isAllowed) {
    const how = isAsking ? "" : ", or give --set-aside to begin a new file";
    person.say(`Nothing was changed. Correct the file and run onboard again${how}.`);
    return "broken";
  }
  person.say(`Set aside: ${await files.setAside(configFile)}`);
  return null;
}

interface ModelStep {
  readonly configFile: string;
  readonly current: ConfigDraft | null;
}

async function modelStep(
  scene: OnboardingScene,
  { configFile, current }: ModelStep,
): Promise<ConfigDraft | null> {
  const { person, isAsking } = scene;
  const model = { ...scene, configFile, text: current?.text ?? null };
  const answering = current === null ? null : answeringIn(current);
  if (isAsking && !hasModelWish(scene.wishes)) {
    if (current !== null && answering !== null) {
      person.say(answering);
      if (await confirm(person, "Keep this model?", true)) return current;
    }
    person.say(
      scene.offers.length === 0
        ? "First, a model to think with. None was found on this machine."
        : "First, a model to think with. Found on this machine are the first ones:",
    );
    return await askForModel(model);
  }
  if (current !== null && answering !== null && !hasModelWish(scene.wishes)) {
    person.say(answering);
    return current;
  }
  const wished = wishedModel(scene, current);
  if (typeof wished !== "string") return await takeModel(model, wished);
  person.refuse(wished);
  return null;
}

/** Who answers now; null when nobody does. */
function answeringIn({ loaded: { config } }: ConfigDraft): string | null {
  const choice = chooseModels(config.agents.defaults, config.providers);
  return choice.state === "chosen" ? modelsLine(choice) : null;
}

function hasModelWish({ provider, model, apiKey, apiBase }: Wishes): boolean {
  return [provider, model, apiKey, apiBase].some((wish) => wish !== undefined);
}

/** What the flags, what was found and what is there come to; a sentence when that is not enough. */
function wishedModel(
  { offers, wishes }: OnboardingScene,
  current: ConfigDraft | null,
): { readonly answer: ProviderAnswer; readonly model: string } | string {
  const { provider, apiKey = null, apiBase = null } = wishes;
  const defaults = current?.loaded.config.agents.defaults;
  const named = provider === undefined ? undefined : nameOf(provider);
  const offer = named === undefined
    ? apiKey === null && apiBase === null && current === null ? offers[0] : undefined
    : offers.find(({ answer }) => answer.name === named);
  const name = named ?? offer?.answer.name ??
    (apiBase === null ? defaults?.provider : "custom");
  if (name === undefined || name === "") {
    return "Cannot set a model up: none was found on this machine; give --provider and --model, " +
      "and --api-key or --api-base";
  }
  const model = wishes.model ?? offer?.models[0] ??
    (name === defaults?.provider ? defaults.model : undefined);
  if (model === undefined) return `Cannot set ${name} up: give --model, as the provider writes it`;
  const answer = {
    name,
    apiKey: apiKey ?? offer?.answer.apiKey ?? null,
    apiBase: apiBase ?? offer?.answer.apiBase ?? null,
  };
  return { answer, model };
}

function nameOf(provider: string): string {
  const vendor = findVendor(provider);
  return vendor === undefined ? provider : toCamelCase(vendor.name);
}

function workspaceChange({ workspace }: Wishes): readonly SettingChange[] {
  if (workspace === undefined) return [];
  return [{ path: ["agents", "defaults", "workspace"], value: workspace }];
}

/** Changes the file as it is now: somebody may have written to it meanwhile. */
async function save(
  { person, source, files }: OnboardingScene,
  configFile: string,
  changes: readonly SettingChange[],
): Promise<ConfigDraft> {
  const text = await source.readTextFile(configFile);
  const draft = await draftConfig(source, { configFile, text }, changes);
  if (draft.text === text) return draft;
  await files.replace(configFile, draft.text);
  person.say(`Saved: ${configFile} (only you can read it)`);
  return draft;
}

/** @returns whether the channel that was wished for is ready; true without one */
async function channelStep(scene: OnboardingScene, { loaded }: ConfigDraft): Promise<boolean> {
  const { person, isAsking, wishes, channels, setUpChannel } = scene;
  if (wishes.channel !== undefined) return await setUpChannel(wishes.channel);
  if (!isAsking) return true;
  const enabled = Object.keys(loaded.config.channels.enabled);
  person.say(
    enabled.length === 0
      ? "Next, a chat to reach the assistant from, besides this terminal:"
      : `Chats: ${enabled.join(", ")}. Another one?`,
  );
  const taken = await choose(person, "Which one?", ["none now", ...channels]);
  const name = channels[taken - 1];
  if (name === undefined) return true;
  const isReady = await setUpChannel(name);
  if (!isReady) person.say(`It can be finished at any time: channels login ${name}`);
  return isReady;
}

/** @returns whether the assistant answered; true when it was not asked */
async function testStep({ person, isAsking, sendTestMessage }: OnboardingScene): Promise<boolean> {
  if (sendTestMessage === null || !isAsking) return true;
  if (!await confirm(person, "Say hello to the assistant now?", true)) return true;
  person.say(`> ${TEST_MESSAGE}`);
  return await sendTestMessage();
}
