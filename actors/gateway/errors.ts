/**
 * Why a gateway does not start.
 * @module
 */

import { GatewayError } from "../kernel/errors.ts";
import type { LockHolder } from "./adapters/lock_file.ts";

/** What a start can fail of. */
export type StartFailure =
  | "rights_missing"
  | "port_taken"
  | "host_unusable"
  /** Strangers could come in. */
  | "api_unprotected"
  | "provider_unusable"
  | "state_unusable"
  | "workspace_unusable"
  | "journal_unusable"
  | "fenced"
  | LockFailure;

/** What another process can hold. */
export type LockFailure = "state_locked" | "workspace_locked";

/** A start that was refused; the message is one line for people. */
export class StartError extends GatewayError {
  override readonly name: string = "StartError";
  readonly code: StartFailure;
  readonly recovery = "give_up";
  /** What a command ends with. */
  readonly exitCode = 2;

  constructor(code: StartFailure, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

/** Another process has what a gateway needs for itself. */
export class LockedError extends StartError {
  override readonly name = "LockedError";
  /** Whom it met; null where that is not known. */
  readonly holder: LockHolder | null;

  constructor(code: LockFailure, message: string, holder: LockHolder | null) {
    super(code, message);
    this.holder = holder;
  }
}
