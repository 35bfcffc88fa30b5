/**
 * What the gateway knows about a channel without loading it. The configuration, a floor below,
 * is read with it, so that is where its shape stands.
 * @module
 */

export type { ChannelManifest, ChannelSection } from "../actors/config/channel_manifest.ts";
