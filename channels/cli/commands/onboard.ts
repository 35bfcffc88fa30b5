/**
 * `onboard`: the first run, with questions or with flags.
 * @module
 */

import { dirname, join } from "node:path";
import { systemConfigSource } from "../../../actors/config/adapters/system_source.ts";
import { locateConfig } from "../../../actors/config/locations.ts";
import { connectControl } from "../../../actors/gateway/adapters/control_socket.ts";
import { bypassProxyForLoopback } from "../../../actors/gateway/adapters/environment.ts";
import { configureLogging } from "../../../actors/gateway/adapters/logging.ts";
import { systemWorld } from "../../../actors/gateway/adapters/system_world.ts";
import { asError, GatewayError } from "../../../actors/kernel/errors.ts";
import { syncWorkspace } from "../../../actors/session/adapters/workspace_template.ts";
import { localServers } from "../../../providers/adapters/local_probe.ts";
import { modelsOf } from "../../../providers/adapters/model_list.ts";
import { keysInEnvironment } from "../../../providers/key_variables.ts";
import { createBackend } from "../../../providers/registry.ts";
import { tryProvider } from "../../../providers/trial.ts";
import { channelEntries } from "../../registry.ts";
import { replaceConfigFile, setConfigFileAside } from "../adapters/config_file.ts";
import { ask, canAsk } from "../adapters/prompt.ts";
import { programWords } from "../adapters/process.ts";
import type { Terminal } from "../adapters/terminal.ts";
import { askOnce } from "../one_question.ts";
import { loadAndPrepare } from "../load.ts";
import { modelOffers } from "../onboarding/model_offers.ts";
import type { ModelTrial } from "../onboarding/model_step.ts";
import { onboard, type OnboardingScene, TEST_MESSAGE } from "../onboarding/onboarding.ts";
import { EXIT_LEFT } from "../exit_codes.ts";
import type { Person } from "../onboarding/person.ts";
import { dimOn, markdownOn } from "../styles.ts";
import { terminalPlace } from "../terminal_events.ts";
import { channelsLoginCommand, type LoginFlags } from "./channels_login.ts";
import { providerLoginCommand } from "./provider_login.ts";

/** Flags of the command; those of `channels login` go to the channel. */
export interface OnboardFlags extends Omit<LoginFlags, "force" | "json" | "instance"> {
  readonly workspace?: string | undefined;
  readonly provider?: string | undefined;
  readonly model?: string | undefined;
  readonly apiKey?: string | undefined;
  readonly apiBase?: string | undefined;
  readonly channel?: string | undefined;
  readonly setAside?: boolean | undefined;
  /** False for `--no-check`: nothing is tried over the network. */
  readonly check?: boolean | undefined;
}

/** What else is different where it is offered on the way to something. */
export interface OnboardOptions {
  /** What follows by itself, so that nothing has to be said about it. @default nothing */
  readonly isOnTheWay?: boolean;
}

/** A word at a terminal that nobody waits longer for. */
const STALL_MS = 20_000;

/** Sets up; 0 when all is well, 1 when something does not work, 2 when nothing could begin. */
export async function onboardCommand(
  flags: OnboardFlags,
  terminal: Terminal,
  { isOnTheWay = false }: OnboardOptions = {},
): Promise<number> {
  const isAsking = flags.yes !== true && canAsk();
  if (!isAsking && flags.yes !== true) {
    const how = "give --yes, and --provider, --model and --api-key (onboard --help)";
    terminal.writeError(`Error: Cannot ask: there is no terminal; ${how}\n`);
    return 2;
  }
  configureLogging({ write: () => {}, isVerbose: false, hasColors: false, secrets: () => [] });
  bypassProxyForLoopback();
  const scene = await makeScene(flags, terminal, { isAsking, isOnTheWay });
  try {
    const end = await onboard(scene);
    if (end === "unchanged") return 2;
    const isReady = end === "ready";
    if (!isOnTheWay) {
      const steps = isReady ? await nextSteps(scene) : mendingSteps(scene);
      scene.person.say(steps.join("\n"));
    }
    return isReady ? 0 : 1;
  } catch (error) {
    if (!isAsking || asError(error).name !== "AbortError") throw error;
    terminal.writeError("\nLeft; what was saved stays. onboard goes on from there.\n");
    return EXIT_LEFT;
  }
}

interface Manner {
  readonly isAsking: boolean;
  readonly isOnTheWay: boolean;
}

async function makeScene(
  flags: OnboardFlags,
  terminal: Terminal,
  { isAsking, isOnTheWay }: Manner,
): Promise<OnboardingScene> {
  const person: Person = {
    say: (text) => terminal.write(`${text}\n`),
    refuse: (text) => refuse(text, terminal),
    ask,
  };
  const source = systemConfigSource();
  const { provider, model, apiKey, apiBase, channel, workspace, config: configPath } = flags;
  if (isAsking) person.say("Troupe asks for a model, a chat, and says hello. Ctrl-C leaves.\n");
  return {
    person,
    isAsking,
    source,
    configPath,
    wishes: {
      ...{ provider, model, apiKey, apiBase, channel, workspace },
      setAside: flags.setAside ?? false,
    },
    offers: modelOffers(await localServers(), keysInEnvironment(source.env)),
    tryModel: flags.check === false ? null : tryModel,
    listModels: modelsOf,
    signIn: async (name) =>
      await orTold(() => providerLoginCommand(name, { config: configPath }, terminal), terminal),
    files: { replace: replaceConfigFile, setAside: setConfigFileAside },
    channels: channelEntries.filter(({ loadSetup }) => loadSetup !== undefined)
      .map(({ manifest }) => manifest.name),
    setUpChannel: async (name) =>
      await orTold(
        () => channelsLoginCommand(name, { ...flags, yes: !isAsking }, terminal),
        terminal,
      ),
    makeWorkspace: async (path) => (await syncWorkspace(path)).made,
    sendTestMessage: isOnTheWay ? null : () => sendTestMessage(configPath, terminal),
  };
}

/** What a command is refused with is told, and what it was part of goes on. */
async function orTold(command: () => Promise<number>, terminal: Terminal): Promise<boolean> {
  try {
    return await command() === 0;
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error;
    refuse(error.message, terminal);
    return false;
  }
}

function refuse(text: string, terminal: Terminal): void {
  for (const line of text.split("\n")) terminal.writeError(`Error: ${line}\n`);
}

const tryModel: ModelTrial = async (choice, model, { locations }) => {
  const world = systemWorld();
  const { configFile: configPath, stateFolder } = locations;
  const backend = createBackend(choice, { ...world, configPath, stateFolder, stallMs: STALL_MS });
  const { signal } = new AbortController();
  return await tryProvider(backend, model, { clock: world.clock, signal });
};

/** A whole turn, as in any conversation. */
async function sendTestMessage(config: string | undefined, terminal: Terminal): Promise<boolean> {
  const loaded = await loadAndPrepare({ config }, terminal, { logs: false });
  const scene = { loaded, terminal, place: terminalPlace(undefined), namedWorkspace: null };
  const looks = { dim: dimOn(terminal), makeRenderer: markdownOn(terminal, true) };
  return await askOnce({ ...scene, ...looks }, TEST_MESSAGE) === 0;
}

async function isGatewayRunning({ source, configPath }: OnboardingScene): Promise<boolean> {
  const { configFile } = locateConfig(source, configPath);
  const peer = await connectControl(join(dirname(configFile), "state"));
  peer?.connection.close();
  return peer !== null;
}

async function nextSteps(scene: OnboardingScene): Promise<readonly string[]> {
  const command = commandIn(scene);
  return [
    ...(await isGatewayRunning(scene)
      ? [
        "\nThe gateway that runs takes this over by itself; status names what waits for a restart.",
      ]
      : []),
    "\nNext:",
    `${command("agent")}     talk to the assistant in this terminal`,
    `${command("gateway")}   run it for all chats, until it is stopped`,
    `${command("status")}    how it is`,
    `${command("doctor")}    try everything, and say what to do about what does not work`,
  ];
}

/** What does not work yet was told; nobody is sent on to it. */
function mendingSteps(scene: OnboardingScene): readonly string[] {
  const command = commandIn(scene);
  return [
    "\nNot all of it works yet; what was saved stays. To mend it:",
    `${command("doctor")}    try everything, and say what to do about what does not work`,
    `${command("onboard")}   go on from here`,
  ];
}

/** How a command is called with the same configuration, as a line of a list. */
function commandIn({ configPath }: OnboardingScene): (name: string) => string {
  const flag = configPath === undefined ? "" : ` --config ${configPath}`;
  return (name) => `  ${programWords()} ${name}${flag}`;
}
