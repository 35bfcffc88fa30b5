/**
 * Speech of all channels, written down in the main process: no key enters a channel's Worker.
 * @module
 */

import { basename } from "node:path";
import {
  chooseTranscription,
  type TranscriptionFallbacks,
} from "../../providers/transcription/choice.ts";
import { RECORDING_BYTES_MAX, Transcriber } from "../../providers/transcription/transcriber.ts";
import type { Config } from "../config/schema.ts";
import type { Clock } from "../kernel/clock.ts";
import { asError } from "../kernel/errors.ts";
import { readMediaFile } from "./adapters/media_file.ts";
import type { Transcribe } from "./channel_desk.ts";

/** What writing speech down needs. */
export interface SpeechOptions {
  readonly config: Pick<Config, "channels" | "providers">;
  readonly fallbacks: TranscriptionFallbacks;
  readonly clock: Clock;
}

/** Makes what writes down the sound files of one media folder. */
export type TranscribeFolder = (mediaFolder: string) => Transcribe;

/** Writes speech down with the configured service; without its key nobody does. */
export function wireSpeech({ config, fallbacks, clock }: SpeechOptions): TranscribeFolder {
  const service = chooseTranscription({
    provider: config.channels.transcriptionProvider,
    model: config.channels.transcriptionModel,
    providers: config.providers,
    fallbacks,
  });
  if (service === null) return () => () => Promise.resolve({ state: "off" });
  const transcriber = new Transcriber(service, clock);
  return (mediaFolder) => async (path, signal) => {
    try {
      const file = await readMediaFile(mediaFolder, path, RECORDING_BYTES_MAX);
      if (file.state !== "ok") return { state: "failed", reason: `the file is ${file.state}` };
      return await transcriber.transcribe({ fileName: basename(path), bytes: file.bytes }, signal);
    } catch (error) {
      return { state: "failed", reason: asError(error).message };
    }
  };
}
