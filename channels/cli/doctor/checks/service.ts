/**
 * Whether a service that is installed for this configuration runs, and finds what it needs.
 * @module
 */

import { dirname } from "node:path";
import { readConfigFile } from "../../adapters/config_file.ts";
import { ServiceError } from "../../service/service_manager.ts";
import { environmentFileOf, namedVariables, namesIn } from "../../service/service_plan.ts";
import {
  type FoundService,
  lookAtService,
  type ServiceScene,
  thisScene,
} from "../../service/service_scene.ts";
import {
  type Check,
  type Finding,
  LOCAL_MS,
  ok,
  type ReadyScene,
  skipped,
  warning,
  withConfig,
} from "../finding.ts";

/** The name that `service install` gives where nobody says another. */
const USUAL_NAME = "troupe";

/** Looks at the service of the usual name. */
export const serviceCheck: Check = serviceCheckOn(thisScene);

/** The same for the services of another person or machine. */
export function serviceCheckOn(sceneOf: () => ServiceScene): Check {
  return {
    name: "Service",
    timeoutMs: LOCAL_MS,
    run: withConfig(async (scene) => {
      try {
        const found = await lookAtService({ name: USUAL_NAME }, sceneOf());
        return await findings(found, scene);
      } catch (error) {
        if (!(error instanceof ServiceError)) throw error;
        return [skipped("this system keeps no services that are known")];
      }
    }),
  };
}

async function findings(
  { manager: { file }, text, state }: FoundService,
  { loaded, configFile }: ReadyScene,
): Promise<readonly Finding[]> {
  if (text === null) return [ok("none is installed")];
  if (!text.includes(dirname(configFile))) return [ok(`${file} is for another configuration`)];
  const { isRunning, pid, state: word, lastExitCode } = state;
  const ended = lastExitCode === null ? "" : `, last exit code ${lastExitCode}`;
  const running = isRunning
    ? ok(`runs${pid === null ? "" : `, process ${pid}`} (${file})`)
    : warning(
      `installed, and does not run: ${word}${ended} (${file})`,
      "service logs says why; service install starts it",
    );
  const environmentFile = environmentFileOf(loaded);
  const there = namesIn(await readConfigFile(environmentFile) ?? "");
  const lacking = namedVariables(loaded).filter((name) => !there.has(name));
  if (lacking.length === 0) return [running];
  const problem = `"${environmentFile}" lacks ${lacking.join(", ")}, which the next start needs`;
  return [
    running,
    warning(problem, "write them there (NAME=value), or service install --copy-env"),
  ];
}
