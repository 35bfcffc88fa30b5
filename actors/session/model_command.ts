/**
 * `/model`: shows the model of a session, and changes it.
 * @module
 */

import type { CommandScene } from "./command_scene.ts";
import type { ModelsPort, SessionModel } from "./ports.ts";
import { chosenModel, withModel } from "./session_model.ts";

/** The argument that goes back to the configured model. */
const STANDARD = "default";

/** Shows the model, or changes it from the next turn on. @throws {SessionFileError} */
export async function model({ argument, services, log }: CommandScene): Promise<string> {
  const { models, settings } = services;
  if (models === undefined) return `Model: ${settings.model}; it cannot be changed here.`;
  const { metadata } = log.conversation;
  if (argument === "") return shown(chosenModel(metadata), models);
  const name = argument.toLowerCase() === STANDARD ? null : argument;
  const found = name === null ? null : models.find(name);
  if (found?.state === "refused") {
    return `I cannot use ${quoted(argument)}: ${found.reason}. The model stays as it is.`;
  }
  await log.changeMetadata((metadata) => withModel(metadata, name));
  return found === null
    ? `This session is back with the configured model: ${models.standard.description}.`
    : `This session talks with ${found.model.description}, from the next message on. ` +
      `/model ${STANDARD} goes back to ${models.standard.settings.model}.`;
}

function shown(name: string | null, models: ModelsPort): string {
  const found = name === null ? null : models.find(name);
  const current = found?.state === "found" ? found.model : models.standard;
  return [
    `Model: ${current.description}`,
    origin(name, found?.state === "refused" ? found.reason : null),
    settingsText(current),
    ...(models.names.length === 0 ? [] : [`Known by name: ${models.names.join(", ")}`]),
    `/model <name> changes it for this session, /model ${STANDARD} goes back.`,
  ].join("\n");
}

function origin(name: string | null, problem: string | null): string {
  if (name === null) return "It is the configured one.";
  if (problem === null) return `This session chose it (${quoted(name)}).`;
  return `This session chose ${quoted(name)}, which cannot be had: ${problem}.`;
}

function settingsText({ settings }: SessionModel): string {
  const { contextWindowTokens: window, tokensMax, reasoningEffort } = settings;
  return [
    `Window: ${window > 0 ? `${window} tokens` : "not limited"}`,
    `longest answer: ${tokensMax} tokens`,
    `reasoning effort: ${reasoningEffort ?? "up to the model"}`,
  ].join(", ");
}

/** It comes from a person, and may be anything. */
function quoted(name: string): string {
  const line = name.replaceAll(/[\s\p{C}]+/gu, " ");
  return `"${line.length > 60 ? `${line.slice(0, 60).toWellFormed()}…` : line}"`;
}
