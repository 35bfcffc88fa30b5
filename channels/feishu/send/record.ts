/**
 * The stored state of one delivery.
 * @module
 */

import type { JsonValue } from "../../../actors/kernel/json.ts";
import { type Remember, StoredRecord } from "../../stored_record.ts";
import { type DeliveryState, readState, writeState } from "./state.ts";

/** What the platform has of one delivery. */
export class DeliveryRecord extends StoredRecord<DeliveryState> {
  /** @param stored what was last remembered under `key` */
  constructor(key: string, stored: JsonValue, remember: Remember) {
    super({ key, state: readState(stored), write: writeState, remember });
  }
}
