/**
 * `channels login`: sets a channel up, and says what is missing and where to switch it on.
 * @module
 */

import { z } from "zod";
import { systemConfigSource } from "../../../actors/config/adapters/system_source.ts";
import { castValue } from "../../../actors/config/cast.ts";
import { Interpolator } from "../../../actors/config/interpolate.ts";
import { locate, locateConfig } from "../../../actors/config/locations.ts";
import { Report } from "../../../actors/config/report.ts";
import { shapeOf } from "../../../actors/config/shape.ts";
import type { ConfigSource } from "../../../actors/config/source.ts";
import { channelStateFolder } from "../../../actors/gateway/channel_wiring.ts";
import { bypassProxyForLoopback } from "../../../actors/gateway/adapters/environment.ts";
import { configureLogging } from "../../../actors/gateway/adapters/logging.ts";
import { systemWorld } from "../../../actors/gateway/adapters/system_world.ts";
import { isObject, type JsonObject } from "../../../actors/kernel/json.ts";
import { commandMenu } from "../../../actors/session/command_table.ts";
import { channelEntries, type ChannelEntry, findChannel } from "../../registry.ts";
import type { SetupReport, SetupScene } from "../../setup.ts";
import { changeConfigFile, readConfigFile } from "../adapters/config_file.ts";
import { ask, canAsk } from "../adapters/prompt.ts";
import type { Terminal } from "../adapters/terminal.ts";
import { didYouMean } from "../help/did_you_mean.ts";
import { changeSection, readSection, type SectionPlace } from "../section_file.ts";
import { checkLine, qrCode, reportLines } from "../setup_text.ts";

/** Flags of the command. */
export interface LoginFlags {
  readonly config?: string | undefined;
  readonly instance?: string | undefined;
  readonly appId?: string | undefined;
  readonly appSecret?: string | undefined;
  readonly token?: string | undefined;
  readonly botToken?: string | undefined;
  readonly appToken?: string | undefined;
  readonly clientId?: string | undefined;
  readonly clientSecret?: string | undefined;
  readonly domain?: string | undefined;
  readonly phone?: string | undefined;
  readonly scan?: boolean | undefined;
  readonly force?: boolean | undefined;
  readonly yes?: boolean | undefined;
  readonly json?: boolean | undefined;
}

/** Sets up; 0 when nothing that is needed is missing, else 1. */
export async function channelsLoginCommand(
  name: string,
  flags: LoginFlags,
  terminal: Terminal,
): Promise<number> {
  const entry = findChannel(name);
  if (entry?.loadSetup === undefined) {
    const known = channelEntries.filter(({ loadSetup }) => loadSetup !== undefined)
      .map(({ manifest }) => manifest.name);
    terminal.writeError(`Error: Cannot set "${name}" up: ${didYouMean(name, known)}\n`);
    return 1;
  }
  configureLogging({ write: () => {}, isVerbose: false, hasColors: false, secrets: () => [] });
  bypassProxyForLoopback();
  const setup = await entry.loadSetup();
  const report = await setup.login(await makeScene(entry, flags, terminal));
  if (flags.json === true) terminal.write(`${JSON.stringify(jsonOf(name, report), null, 2)}\n`);
  else for (const line of reportLines(report)) terminal.write(`${line}\n`);
  return report.isReady ? 0 : 1;
}

async function makeScene(
  entry: ChannelEntry,
  flags: LoginFlags,
  terminal: Terminal,
): Promise<SetupScene> {
  const source = systemConfigSource();
  const configPlace = locateConfig(source, flags.config);
  const { configFile } = configPlace;
  const place: SectionPlace = { channel: entry.manifest.name, instance: flags.instance ?? null };
  const stored = readSection(await readConfigFile(configFile), configFile, place);
  // What people are told goes beside what scripts read.
  const say = (text: string) =>
    flags.json === true ? terminal.writeError(`${text}\n`) : terminal.write(`${text}\n`);
  const { clock, newId } = systemWorld();
  return {
    section: asRead(stored, entry, source, configFile),
    given: givenBy(flags),
    isScanning: flags.scan ?? false,
    isForced: flags.force ?? false,
    isInteractive: flags.yes !== true && flags.json !== true && canAsk(),
    commands: commandMenu(),
    stateFolder: channelStateFolder(locate(configPlace, ""), botName(place)),
    clock,
    newId,
    signal: new AbortController().signal,
    say,
    showLink: (url) => {
      say(qrCode(url));
      say(url);
    },
    tell: (check) => say(checkLine(check)),
    ask,
    save: async (changes) => {
      if (Object.keys(changes).length === 0) return;
      await changeConfigFile(configFile, (text) => ({
        text: changeSection(text, configFile, { place, changes }),
      }));
      say(`Saved ${Object.keys(changes).join(", ")} to ${configFile}`);
    },
  };
}

/** As it runs. */
function botName({ channel, instance }: SectionPlace): string {
  return instance === null ? channel : `${channel}.${instance}`;
}

function givenBy(flags: LoginFlags): Readonly<Record<string, string>> {
  const { appId, appSecret, token, botToken, appToken, clientId, clientSecret, domain, phone } =
    flags;
  const given = Object.entries({
    ...{ appId, appSecret, token, botToken, appToken },
    ...{ clientId, clientSecret, domain, phone },
  });
  return Object.fromEntries(
    given.flatMap(([key, value]) => value === undefined ? [] : [[key, value.trim()]]),
  );
}

/** As the channel will read it; a placeholder whose variable is not set counts as not given. */
function asRead(
  section: JsonObject,
  { manifest }: ChannelEntry,
  { env }: ConfigSource,
  configFile: string,
): JsonObject {
  const shape = shapeOf(manifest.schema(z));
  const interpolator = new Interpolator(env, new Report(configFile));
  const filled = interpolator.value(section, shape, ["channels", manifest.name]) ?? {};
  const cast = castValue(filled, shape);
  return isObject(cast) ? cast : {};
}

function jsonOf(channel: string, { isReady, checks }: SetupReport): unknown {
  return { channel, ready: isReady, checks };
}
