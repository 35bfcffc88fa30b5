/**
 * Sound files under names and types that transcription services take.
 * @module
 */

const TYPES: ReadonlyMap<string, string> = new Map([
  ["flac", "audio/flac"],
  ["m4a", "audio/mp4"],
  ["mp3", "audio/mpeg"],
  ["mp4", "audio/mp4"],
  ["mpga", "audio/mpeg"],
  ["ogg", "audio/ogg"],
  ["wav", "audio/wav"],
  ["webm", "audio/webm"],
]);

/** Messengers write Opus in an Ogg container under endings that services refuse. */
const OGG_ENDINGS: ReadonlySet<string> = new Set(["oga", "opus"]);

/** The name and type to send a file under. The name gives nothing away but its ending. */
export function soundFile(fileName: string): { readonly name: string; readonly type: string } {
  const ending = /\.([A-Za-z0-9]+)$/.exec(fileName)?.[1]?.toLowerCase() ?? "";
  const known = OGG_ENDINGS.has(ending) ? "ogg" : ending;
  const type = TYPES.get(known);
  return type === undefined
    ? { name: "recording.ogg", type: "audio/ogg" }
    : { name: `recording.${known}`, type };
}
