/**
 * What the gateway knows about a channel without loading it. The configuration, a floor below,
 * is read with it, so that is where its shape stands.
 * @module
 */

import type {
  ChannelInstance,
  ChannelManifest,
  ChannelSection,
} from "../actors/config/channel_manifest.ts";

export type {
  ChannelInstance,
  ChannelManifest,
  ChannelSection,
} from "../actors/config/channel_manifest.ts";

/** The bots that a section describes; most describe one. */
export function instancesOf<Section extends ChannelSection>(
  manifest: ChannelManifest<Section>,
  section: Section,
): readonly ChannelInstance<Section>[] {
  return manifest.instances?.(section) ?? [{ name: manifest.name, section, skipped: null }];
}
