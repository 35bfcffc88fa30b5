/**
 * Whether the chats can be reached, and somebody may write.
 * @module
 */

import { channelStateFolder } from "../../../../actors/gateway/channel_wiring.ts";
import { asError, GatewayError } from "../../../../actors/kernel/errors.ts";
import { asJson } from "../../../../actors/kernel/json.ts";
import { type ChannelInstance, instancesOf } from "../../../manifest.ts";
import { type ChannelEntry, entriesUnder } from "../../../registry.ts";
import type { SetupCheck } from "../../../setup.ts";
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

/** Looks at each bot as its set-up would; a gateway that runs keeps its connections. */
export const channelsCheck: Check = {
  name: "Channels",
  timeoutMs: 45_000,
  run: withConfig(async (scene, signal) => {
    const { enabled } = scene.loaded.config.channels;
    const bots = entriesUnder(enabled).flatMap((entry) => {
      const section = enabled[entry.manifest.name];
      return section === undefined
        ? []
        : instancesOf(entry.manifest, section).map((bot) => ({ entry, bot }));
    });
    if (bots.length === 0) {
      return [
        warning("none is on: only the terminal reaches the assistant", "channels login <name>"),
      ];
    }
    return (await Promise.all(bots.map((one) => botFindings(one, scene, signal)))).flat();
  }),
};

interface Bot {
  readonly entry: ChannelEntry;
  readonly bot: ChannelInstance;
}

async function botFindings(
  { entry, bot }: Bot,
  scene: ReadyScene,
  signal: AbortSignal,
): Promise<readonly Finding[]> {
  const { name, section, skipped: why } = bot;
  if (why !== null) return [warning(`${name} does not run: ${why}`, null)];
  return [
    ...(section.allowFrom.length === 0
      ? [
        warning(
          `${name}: nobody may write to it`,
          `put your id into channels.${entry.manifest.name}.allowFrom`,
        ),
      ]
      : []),
    ...runningFindings(name, scene),
    ...(await looked({ entry, bot }, scene, signal)),
  ];
}

/** What the gateway that runs says of it. */
function runningFindings(name: string, { running }: ReadyScene): readonly Finding[] {
  if (running === null) return [];
  const status = running.health.channels[name];
  if (status === undefined) {
    return [warning(`${name}: the gateway that runs does not have it`, "restart the gateway")];
  }
  const { state, detail } = status;
  if (state === "ready") return [ok(`${name}: ${detail}`)];
  const text = `${name} is ${state}: ${detail}`;
  return state === "failed" || state === "stopped"
    ? [fault(text, "channels status tells more; so does the log")]
    : [warning(text, null)];
}

async function looked(
  { entry, bot: { name, section } }: Bot,
  { isOffline, world, loaded }: ReadyScene,
  signal: AbortSignal,
): Promise<readonly Finding[]> {
  if (entry.loadSetup === undefined) return [ok(`${name}: its settings are complete`)];
  if (isOffline) return [skipped(`${name}: not asked, as --offline says`)];
  const setup = await entry.loadSetup();
  try {
    const { checks } = await setup.login({
      section: asJson({ ...section }),
      given: {},
      isScanning: false,
      isForced: false,
      isInteractive: false,
      isLooking: true,
      stateFolder: channelStateFolder(loaded.locations, name),
      clock: world.clock,
      newId: world.newId,
      signal,
      say: () => {},
      showLink: () => {},
      tell: () => {},
      ask: () => Promise.resolve(""),
      save: () => Promise.resolve(),
    });
    return summed(name, checks);
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error;
    return [fault(`${name}: ${asError(error).message}`, `channels login ${entry.manifest.name}`)];
  }
}

/** What is well in one line, and a line for each thing that is not. */
function summed(name: string, checks: readonly SetupCheck[]): readonly Finding[] {
  const well = checks.filter(({ state }) => state === "ok").map(({ name }) => name);
  const others = checks.filter(({ state }) => state !== "ok").map((check) => {
    const text = `${name}: ${check.name}: ${check.detail}`;
    const fix = [check.remedy, check.url].filter((part) => part !== null).join(" ");
    const make = check.state === "missing" && check.isNeeded ? fault : warning;
    return make(text, fix === "" ? null : fix);
  });
  return [...(well.length === 0 ? [] : [ok(`${name}: ${well.join(", ")}`)]), ...others];
}
