/**
 * A whole gateway inside the test's process, with a channel of the test beside its platforms.
 * @module
 */

import { loadConfig } from "../../actors/config/load_config.ts";
import { systemWorld } from "../../actors/gateway/adapters/system_world.ts";
import { Gateway } from "../../actors/gateway/gateway.ts";
import type { JsonObject } from "../../actors/kernel/json.ts";
import { channelEntries } from "../../channels/registry.ts";
import type { GatewayHome } from "./gateway_process.ts";
import { ProbeChannel } from "./probe_channel.ts";

/** A running gateway and its probe. */
export interface InProcessGateway extends AsyncDisposable {
  readonly gateway: Gateway;
  readonly probe: ProbeChannel;
}

/** Starts a gateway from `config` in `home`, with the channel `probe` beside those of the config. */
export async function startInProcess(
  home: GatewayHome,
  config: JsonObject,
  options: { readonly workerEntry?: URL } = {},
): Promise<InProcessGateway> {
  const loaded = await loadConfig({
    source: {
      readTextFile: () => Promise.resolve(JSON.stringify({ gateway: { port: 0 }, ...config })),
      env: { TROUPE_HOME: home.path },
      homeDir: home.path,
      cwd: home.path,
    },
    manifests: channelEntries.map(({ manifest }) => manifest),
  });
  const { promise: made, resolve } = Promise.withResolvers<ProbeChannel>();
  const gateway = await Gateway.start({
    loaded,
    version: "0.0.0-test",
    world: systemWorld(),
    print: () => {},
    localChannels: [{
      name: "probe",
      create: (context) => {
        const channel = new ProbeChannel(context);
        resolve(channel);
        return channel;
      },
    }],
    isWhole: true,
    ...options,
  });
  const probe = await made;
  return { gateway, probe, [Symbol.asyncDispose]: () => gateway[Symbol.asyncDispose]() };
}
