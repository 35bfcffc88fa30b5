/**
 * Whether somebody is there to decide and to be told.
 * @module
 */

import { type Check, LOCAL_MS, ok, warning, withConfig } from "../finding.ts";

/** Looks at the owners. */
export const ownersCheck: Check = {
  name: "Owners",
  timeoutMs: LOCAL_MS,
  run: withConfig(({ loaded: { config } }) => {
    const { owners, channels } = config;
    if (owners.length === 0) {
      return Promise.resolve([
        warning(
          "there are none: everybody who may write may also restart it, and nobody hears alarms",
          `config set owners '["telegram:<your id>"]'`,
        ),
      ]);
    }
    const strangers = owners.filter((owner) => {
      const [channel = ""] = owner.split(":");
      return channel !== "cli" && channels.enabled[channel.split(".")[0] ?? ""] === undefined;
    });
    const lost = strangers.map((owner) =>
      warning(`${owner} is on a channel that is not on: no alarm gets there`, "see channels status")
    );
    return Promise.resolve([ok(`${owners.length}`), ...lost]);
  }),
};
