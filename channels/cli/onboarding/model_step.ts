/**
 * The first step: a model that answers.
 * @module
 */

import { ConfigError } from "../../../actors/config/errors.ts";
import type { LoadedConfig } from "../../../actors/config/load_config.ts";
import type { ConfigSource } from "../../../actors/config/source.ts";
import { chooseProvider, type ChosenProvider } from "../../../providers/choice.ts";
import type { TrialResult } from "../../../providers/trial.ts";
import { trialText } from "../provider_text.ts";
import { type ConfigDraft, draftConfig } from "./config_draft.ts";
import { type ModelOffer, type ProviderAnswer, settingsFor } from "./model_offers.ts";
import { choose, confirm, type Person } from "./person.ts";
import { askProvider, type SignIn } from "./provider_question.ts";

/** What the step looks at and asks. */
export interface ModelScene {
  readonly person: Person;
  readonly source: ConfigSource;
  readonly configFile: string;
  /** What stands in the file; null when there is none. */
  readonly text: string | null;
  readonly offers: readonly ModelOffer[];
  /** Null: the file is written without a try. */
  readonly tryModel: ModelTrial | null;
  readonly listModels: (choice: ChosenProvider) => Promise<readonly string[]>;
  readonly signIn: SignIn;
}

/** Makes a tiny call. */
export type ModelTrial = (
  choice: ChosenProvider,
  model: string,
  loaded: LoadedConfig,
) => Promise<TrialResult>;

/** Models that are shown to choose from; a longer list is typed from. */
const MODELS_CHOICE_MAX = 12;

/** Asks until there is a model that answers, or that is wanted all the same. */
export async function askForModel(scene: ModelScene): Promise<ConfigDraft> {
  const { person, offers, signIn } = scene;
  for (;;) {
    const { answer, models } = await askProvider(person, offers, signIn);
    const reached = await reach(scene, answer);
    if (reached === null) continue;
    const known = models.length > 0 ? models : await scene.listModels(reached);
    const model = await askModel(person, known);
    const draft = await draftOf(scene, answer, model);
    if (draft === null) continue;
    if (await isGood(scene, draft, model)) return draft;
    if (await confirm(person, "Keep it all the same?", false)) return draft;
  }
}

/**
 * The same without questions.
 *
 * @returns null when the model does not answer; the person was told why
 * @throws {ConfigError}
 */
export async function takeModel(
  scene: ModelScene,
  { answer, model }: { readonly answer: ProviderAnswer; readonly model: string },
): Promise<ConfigDraft | null> {
  const draft = await draftOf(scene, answer, model);
  return draft !== null && await isGood(scene, draft, model) ? draft : null;
}

/** Where an answer leads; null where it leads nowhere, and the person was told why. */
async function reach(scene: ModelScene, answer: ProviderAnswer): Promise<ChosenProvider | null> {
  const draft = await draftOf(scene, answer, "any");
  return draft === null ? null : chosenIn(draft, scene.person);
}

async function draftOf(
  { person, source, configFile, text }: ModelScene,
  answer: ProviderAnswer,
  model: string,
): Promise<ConfigDraft | null> {
  try {
    return await draftConfig(source, { configFile, text }, settingsFor(answer, model));
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    person.refuse(error.message);
    return null;
  }
}

function chosenIn({ loaded }: ConfigDraft, person: Person): ChosenProvider | null {
  const { model, provider } = loaded.config.agents.defaults;
  const choice = chooseProvider({ model, provider, providers: loaded.config.providers });
  if (choice.state === "chosen") return choice;
  person.refuse(
    choice.state === "problem" ? choice.problem : choice.missing ?? "Nothing is set up",
  );
  return null;
}

async function askModel(person: Person, models: readonly string[]): Promise<string> {
  if (models.length > 0 && models.length <= MODELS_CHOICE_MAX) {
    const taken = await choose(person, "Which model?", [...models, "another one"]);
    const model = models[taken];
    if (model !== undefined) return model;
  } else if (models.length > 0) {
    const shown = models.slice(0, MODELS_CHOICE_MAX).join(", ");
    person.say(`It has ${models.length} models, such as ${shown}.`);
  }
  for (;;) {
    const model = await person.ask("Name of the model, as the provider writes it: ");
    if (model !== "") return model;
  }
}

async function isGood(
  { person, tryModel }: ModelScene,
  draft: ConfigDraft,
  model: string,
): Promise<boolean> {
  const choice = chosenIn(draft, person);
  if (choice === null) return false;
  if (tryModel === null) return true;
  person.say(`Asking "${model}" for a word …`);
  const result = await tryModel(choice, model, draft.loaded);
  const tried = { name: choice.vendor.displayName, baseUrl: choice.baseUrl, model };
  person.say(trialText(tried, result).trimEnd());
  return result.state === "ok";
}
