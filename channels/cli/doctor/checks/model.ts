/**
 * Whether a model is set up, and answers.
 * @module
 */

import { createBackend } from "../../../../providers/registry.ts";
import type { ChosenProvider } from "../../../../providers/choice.ts";
import { chooseModels, modelsLine, problemText } from "../../../../providers/model_choice.ts";
import { tryProvider } from "../../../../providers/trial.ts";
import { toCamelCase } from "../../../../providers/vendors.ts";
import { trialFinding } from "../../provider_text.ts";
import {
  type Check,
  fault,
  type Finding,
  ok,
  type ReadyScene,
  skipped,
  warning,
  withConfig,
} from "../finding.ts";

/** A word that nobody waits longer for. */
const STALL_MS = 20_000;

/** Asks each configured model for a word. */
export const modelCheck: Check = {
  name: "Model",
  timeoutMs: 45_000,
  run: withConfig(async (scene, signal) => {
    const { agents, providers } = scene.loaded.config;
    const choice = chooseModels(agents.defaults, providers);
    if (choice.state === "problem") {
      return [fault(problemText(choice), "providers shows what is set up")];
    }
    if (choice.state === "unconfigured") {
      return [
        fault(
          choice.missing ?? "no provider is set up",
          "run onboard, or put a key or an address into the file",
        ),
      ];
    }
    const line = modelsLine(choice).replace(/^Model: /, "");
    if (scene.isOffline) return [ok(line), skipped("not asked, as --offline says")];
    const stand = choice.fallbacks.map(({ fallback, choice }) => ({
      model: fallback.model,
      choice,
    }));
    const [first, ...others] = await Promise.all(
      [{ model: choice.model, choice: choice.choice }, ...stand]
        .map((one) => asked(one, scene, signal)),
    );
    // One that only stands in may be down for a while.
    return [
      ...(first === undefined ? [] : [first]),
      ...others.map((found) => found.state === "fault" ? warning(found.detail, found.fix) : found),
    ];
  }),
};

async function asked(
  { model, choice }: { readonly model: string; readonly choice: ChosenProvider },
  { world, loaded }: ReadyScene,
  signal: AbortSignal,
): Promise<Finding> {
  const { configFile: configPath, stateFolder } = loaded.locations;
  const backend = createBackend(choice, { ...world, configPath, stateFolder, stallMs: STALL_MS });
  const result = await tryProvider(backend, model, { clock: world.clock, signal });
  const tried = { name: toCamelCase(choice.vendor.name), baseUrl: choice.baseUrl, model };
  const { what, remedy } = trialFinding(tried, result);
  return remedy === null ? ok(what) : fault(what, remedy);
}
