/**
 * Sends the parts of a delivery one after the other, each once.
 * @module
 */

import { getLogger } from "@logtape/logtape";
import type { Clock } from "../../../actors/kernel/clock.ts";
import { DeliveryError } from "../../channel.ts";
import { CARD_REFUSED_CODES, deliveryErrorOf, FeishuRefusedError, isAmbiguous } from "../errors.ts";
import { refusedNote } from "./media.ts";
import type { DeliveryRecord } from "./record.ts";
import { messageOf, renderParts, simplerParts } from "./parts.ts";
import type { PartRecord } from "./state.ts";
import type { Sender } from "./sender.ts";
import type { Target } from "./target.ts";
import { UUID_WINDOW_MS } from "./uuid.ts";

const logger = getLogger(["troupe", "feishu", "part_sender"]);

/** Refusals of a form, beside those that name cards: wrong parameter, wrong type, wrong JSON. */
const FORM_REFUSED_CODES: ReadonlySet<number> = new Set([
  ...CARD_REFUSED_CODES,
  230001,
  230055,
  9499,
]);

/** Forms whose refusal may be told in words, so that the text still arrives. */
const MEDIA_FORMS: ReadonlySet<string> = new Set(["image", "file", "audio", "media"]);

/**
 * Sends what is not sent yet. Each part is stored as tried before it goes out, together with the
 * end of the one before; the last one's end is the receipt. A refused form is replaced by a simpler
 * one.
 *
 * @returns the ids of all parts
 * @throws {DeliveryError}
 */
export async function sendParts(
  { sender, clock }: { readonly sender: Sender; readonly clock: Clock },
  record: DeliveryRecord,
  target: Target,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const shown = record.state.cards.length;
  for (let part = nextPart(record); part !== undefined; part = nextPart(record)) {
    const attemptMs = record.state.attempt_ms ?? clock.now();
    const isKeyWorn = clock.now() - attemptMs >= UUID_WINDOW_MS;
    if (isKeyWorn) throw wornOut(record.key);
    if (record.state.attempt_ms === null) await record.save({ attempt_ms: attemptMs });
    const { sent } = record.state;
    try {
      const body = { ...messageOf(part), uuid: part.uuid, index: shown + sent.length };
      const id = await sender.send(target, body, signal);
      record.note({ sent: [...sent, id], attempt_ms: null });
    } catch (error) {
      await replaceRefused(record, part, error);
    }
  }
  return record.state.sent;
}

function nextPart(record: DeliveryRecord): PartRecord | undefined {
  const { parts, sent } = record.state;
  return parts?.[sent.length];
}

/** @throws {DeliveryError} when there is no simpler form for `part` */
async function replaceRefused(
  record: DeliveryRecord,
  part: PartRecord,
  error: unknown,
): Promise<void> {
  const replacement = replacementOf(part, error);
  if (replacement.length === 0) {
    if (!isAmbiguous(error)) await record.save({ attempt_ms: null });
    throw deliveryErrorOf(error);
  }
  logger.warn("Feishu refused a part as {form}: {reason}; sending it in a simpler form", {
    form: part.form,
    reason: error instanceof Error ? error.message : "",
  });
  const { parts, sent } = record.state;
  const at = sent.length;
  await record.save({
    parts: [...(parts ?? []).slice(0, at), ...replacement, ...(parts ?? []).slice(at + 1)],
    attempt_ms: null,
  });
}

function replacementOf(part: PartRecord, error: unknown): readonly PartRecord[] {
  if (!(error instanceof FeishuRefusedError)) return [];
  if (!FORM_REFUSED_CODES.has(error.platformCode)) return [];
  if (!MEDIA_FORMS.has(part.form)) return simplerParts(part);
  const note = refusedNote(part.name, error.platformCode);
  return renderParts(part.uuid, note, { isPlain: true, images: new Map() });
}

function wornOut(key: string): DeliveryError {
  return new DeliveryError(
    "delivery_unknown",
    `Cannot send "${key}" again: an earlier try had no clear end, and Feishu no longer knows its key`,
  );
}
