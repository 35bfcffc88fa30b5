/**
 * Which model a session talks with: the configured one, or the one that it chose, which stands in
 * its metadata.
 * @module
 */

import { getLogger } from "@logtape/logtape";
import type { JsonObject } from "../kernel/json.ts";
import type { ModelsPort, SessionServices } from "./ports.ts";

const logger = getLogger(["troupe", "session", "model"]);

/** Field of a session's metadata: the name that was asked for. */
const FIELD = "model";

/** The name that a session chose; null when it chose none. */
export function chosenModel(metadata: JsonObject): string | null {
  const name = metadata[FIELD];
  return typeof name === "string" && name !== "" ? name : null;
}

/** The metadata of a session that chooses `name`, or none. */
export function withModel(metadata: JsonObject, name: string | null): JsonObject {
  const { [FIELD]: _before, ...rest } = metadata;
  return name === null ? rest : { ...rest, [FIELD]: name };
}

/**
 * The services with the model that the session has at each moment. A copy keeps that of the moment
 * when it was made, as a turn wants it.
 */
export function servicesOf(
  services: SessionServices,
  metadata: () => JsonObject,
): SessionServices {
  const { models, settings: standard, provider } = services;
  if (models === undefined) return services;
  let known = { name: null as string | null, settings: standard, provider };
  const current = () => {
    const name = chosenModel(metadata());
    if (name !== known.name) known = { name, ...withModelOf(name, models, services) };
    return known;
  };
  return {
    ...services,
    get settings() {
      return current().settings;
    },
    get provider() {
      return current().provider;
    },
  };
}

/** A choice that cannot be had any more, as a key was taken away, gives way to the standard. */
function withModelOf(
  name: string | null,
  models: ModelsPort,
  { settings, provider }: SessionServices,
): Pick<SessionServices, "settings" | "provider"> {
  if (name === null) return { settings, provider };
  const found = models.find(name);
  if (found.state === "refused") {
    logger.warn("A session goes on with {model}, as {name} cannot be had: {reason}", {
      model: settings.model,
      name,
      reason: found.reason,
    });
    return { settings, provider };
  }
  return { settings: { ...settings, ...found.model.settings }, provider: found.model.provider };
}
