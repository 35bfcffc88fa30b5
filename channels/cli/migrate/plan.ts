/**
 * What would be carried from one assistant to another, as data: nothing is written yet.
 * @module
 */

import { GatewayError } from "../../../actors/kernel/errors.ts";
import type { JsonObject } from "../../../actors/kernel/json.ts";

/** What a thing that is carried belongs to. */
export type Part = "config" | "sessions" | "memory" | "cron" | "skills";

/** Whose folders they are. */
export type Assistant = "nanobot" | "openclaw" | "troupe";

/** Something that stays behind. */
export interface LeftBehind {
  readonly part: Part;
  /** A path or a key; never a value. */
  readonly what: string;
  /**
   * `foreign`: there is no place for it here; `taken`: the target has another one; `unreadable`: it
   * is damaged, a link, or too large.
   */
  readonly reason: "foreign" | "taken" | "unreadable";
  /** What to do, or what is wrong. */
  readonly why: string;
}

/** A file of the target's workspace. */
export interface PlannedFile {
  readonly part: Part;
  /** Path in the source. */
  readonly from: string;
  /** Path below the target's workspace, with `/`. */
  readonly to: string;
  /** The whole text in pieces; each call begins anew. */
  readonly content: () => AsyncIterable<string>;
  /** Epoch milliseconds; null where it does not matter. */
  readonly modifiedAtMs: number | null;
  /** A file with this text counts as none: what a new workspace starts with. */
  readonly vacant?: string | undefined;
  /** Goes only with the file before it in the plan. */
  readonly follows?: string | undefined;
  /** Another name of the file before it in the plan, which alone is told of. */
  readonly copyOf?: string | undefined;
}

/** A folder with a SKILL.md. */
export interface PlannedSkill {
  readonly name: string;
  /** Path in the source. */
  readonly from: string;
  /** Absolute, without links. */
  readonly folder: string;
}

/** A job of `cron/jobs.json`, and the file it comes from. */
export interface PlannedJob {
  readonly from: string;
  readonly id: string;
  readonly raw: JsonObject;
}

/** All that a source holds for a target. */
export interface Plan {
  /** In the target's words. */
  readonly settings: JsonObject;
  readonly files: readonly PlannedFile[];
  readonly jobs: readonly PlannedJob[];
  readonly skills: readonly PlannedSkill[];
  readonly left: readonly LeftBehind[];
  /** Sentences about what changes by the move. */
  readonly notes: readonly string[];
  /** The workspace that was read, absolute and without links; null without one. */
  readonly workspace: string | null;
}

/** A plan while it is made. */
export class PlanDraft {
  settings: JsonObject = {};
  readonly files: PlannedFile[] = [];
  readonly jobs: PlannedJob[] = [];
  readonly skills: PlannedSkill[] = [];
  readonly left: LeftBehind[] = [];
  readonly notes: string[] = [];
  workspace: string | null = null;

  /** Notes what stays behind. */
  leave(part: Part, what: string, [reason, why]: readonly [LeftBehind["reason"], string]): void {
    this.left.push({ part, what, reason, why });
  }
}

/** What became of a plan. */
export interface Migration {
  readonly from: Assistant;
  readonly to: Assistant;
  /** Absolute. */
  readonly source: string;
  readonly target: { readonly config: string; readonly workspace: string };
  readonly isDryRun: boolean;
  /** Paths, keys and ids in the target. */
  readonly carried: readonly { readonly part: Part; readonly what: string }[];
  /** What had been carried before. */
  readonly there: readonly { readonly part: Part; readonly what: string }[];
  readonly left: readonly LeftBehind[];
  readonly notes: readonly string[];
}

/** Nothing can be carried at all. */
export class MigrateError extends GatewayError {
  override readonly name = "MigrateError";
  readonly code = "migrate";
  readonly recovery = "give_up";
  /** What the command ends with. */
  readonly exitCode = 2;
}

/** A file of the source that is not read. */
export class SourceFileError extends GatewayError {
  override readonly name = "SourceFileError";
  readonly code = "source_file";
  readonly recovery = "give_up";
}
