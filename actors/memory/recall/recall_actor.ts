/**
 * The way to recall: an actor whose Worker is started by the first question, and ended when nobody
 * asks any more.
 * @module
 */

import { getLogger } from "@logtape/logtape";
import { join } from "node:path";
import type { Actor, ActorContext, ActorDefinition, StopReason } from "../../kernel/actor.ts";
import type { Timer } from "../../kernel/clock.ts";
import { unreachable } from "../../kernel/invariant.ts";
import type { ActorRef } from "../../kernel/ref.ts";
import { workerActor, type WorkerNotice } from "../../kernel/worker_actor.ts";
import type { MemoryScopeSetting } from "../scope.ts";
import { MemoryError } from "../errors.ts";
import type { RecallMessage, RecallQuestion } from "./protocol.ts";

const logger = getLogger(["troupe", "memory", "recall"]);

/** The module of the Worker. */
export const RECALL_WORKER: URL = new URL("./adapters/recall_worker.ts", import.meta.url);

const MAILBOX_MAX = 1_000;
/** Changed files of which the Worker does not know; past it the next full look finds them. */
const TOUCHED_MAX = 1_000;
/** A Worker that nobody asks costs memory. */
const IDLE_MS = 10 * 60_000;

/** What recall looks through. */
export interface RecallOptions {
  /** Absolute. */
  readonly workspace: string;
  /** Folder of the index, which can be removed at any time: it is made again from the files. */
  readonly indexFolder: string;
  readonly setting: MemoryScopeSetting;
  /** IANA name: where the times of summaries are. */
  readonly timezone: string;
  /** The Worker ends when nobody asked for so long. @default 10 minutes */
  readonly idleMs?: number | undefined;
}

/** The folder of the index in a state folder, which is the Worker's own. */
export function recallFolder(stateFolder: string): string {
  return join(stateFolder, "recall");
}

/** The index in its folder. */
export function recallIndexPath(indexFolder: string): string {
  return join(indexFolder, "index.sqlite");
}

type Internal =
  | { readonly type: "idle_elapsed" }
  | { readonly type: "worker_stopped"; readonly reason: StopReason };

/** All that the actor understands. */
export type RecallActorMessage = RecallMessage | WorkerNotice | Internal;

/** Defines the actor. */
export function recallActor(options: RecallOptions): ActorDefinition<RecallActorMessage> {
  return {
    name: "recall",
    mailboxMax: MAILBOX_MAX,
    create: (context) => new Recall(context, options),
  };
}

class Recall implements Actor<RecallActorMessage> {
  readonly #context: ActorContext<RecallActorMessage>;
  readonly #options: RecallOptions;
  #worker: ActorRef<RecallQuestion> | undefined;
  #idle: Timer | undefined;
  /** A message to the Worker wakes a thread: the next question tells of all of them. */
  readonly #touched = new Set<string>();

  constructor(context: ActorContext<RecallActorMessage>, options: RecallOptions) {
    this.#context = context;
    this.#options = options;
  }

  receive(message: RecallActorMessage): void {
    switch (message.type) {
      case "search":
      case "remind":
        return this.#ask(message);
      case "file_touched":
        return this.#touch(message.path);
      case "idle_elapsed":
        return this.#rest();
      case "worker_stopped":
        return this.#workerStopped(message.reason);
      case "worker_ready":
        return;
      case "worker_died":
        return logger.warn("Recall begins anew: {reason}", { reason: message.error.message });
      case "worker_stuck":
        return logger.error("Recall hangs, and may use a core until the gateway restarts");
      default:
        return unreachable(message);
    }
  }

  #ask(question: RecallQuestion): void {
    this.#idle?.cancel();
    this.#idle = this.#context.after(this.#options.idleMs ?? IDLE_MS, { type: "idle_elapsed" });
    this.#worker ??= this.#start();
    const touched = [...this.#touched];
    if (this.#worker.tell({ ...question, touched }) === "taken") return this.#touched.clear();
    const text = "Cannot look through memory: too many ask at once, or it cannot start";
    question.replyTo.refuse(new MemoryError("memory_recall_failed", text));
  }

  /** A Worker that starts later sees it by itself. */
  #touch(path: string): void {
    if (this.#worker !== undefined && this.#touched.size < TOUCHED_MAX) this.#touched.add(path);
  }

  #start(): ActorRef<RecallQuestion> {
    const { workspace, indexFolder, setting, timezone } = this.#options;
    const indexPath = recallIndexPath(indexFolder);
    const worker = this.#context.spawn(workerActor<RecallQuestion, never>({
      name: "index",
      entry: RECALL_WORKER,
      permissions: { read: [workspace, indexFolder], write: [indexFolder] },
      init: { workspace, indexPath, setting, timezone },
      parent: this.#context.self,
    }));
    this.#context.watch(worker, (reason) => ({ type: "worker_stopped", reason }));
    return worker;
  }

  #rest(): void {
    const worker = this.#worker;
    this.#worker = undefined;
    if (worker !== undefined) void this.#context.stop(worker);
  }

  /** The next question starts another one. */
  #workerStopped(reason: StopReason): void {
    if (reason.type !== "failed") return;
    logger.error("Recall is off until the next question: {reason}", {
      reason: reason.error.message,
    });
    this.#worker = undefined;
  }
}
