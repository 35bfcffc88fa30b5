/**
 * A systemd of the test's own that manages the services of one person, on a machine that was
 * started by something else. To tell it that it may takes the rights of root.
 * @module
 */

import { basename, join } from "node:path";
import { orNullSync } from "../../actors/kernel/adapters/missing.ts";
import { until } from "../support/until.ts";

const SYSTEMD = "/lib/systemd/systemd";
/** Each look is a program of its own. */
const LOOK_MS = 100;

/** Where each of the machine's trees of process groups begins: of version 1, and of version 2. */
const TREES = ["systemd", "unified", ""].map((name) => join("/sys/fs/cgroup", name))
  .filter((tree) => orNullSync(() => Deno.statSync(join(tree, "cgroup.procs"))) !== null);

/**
 * In a group of its own, whose processes are all that it takes hold of. It starts only where a
 * folder says that the machine runs systemd: it sees one of its own.
 */
const START = 'for group in "$@"; do mkdir "$group" && echo $$ >"$group/cgroup.procs"; done; ' +
  "exec unshare --mount sh -c 'mount -t tmpfs tmpfs /run && mkdir -p /run/systemd/system && " +
  `exec ${SYSTEMD} --user --log-target=null'`;

/** Whether one can run here. */
export const CAN_MANAGE: boolean = Deno.uid() === 0 && TREES.length > 0 &&
  [SYSTEMD, "/usr/bin/systemctl", "/usr/bin/unshare"].every((path) =>
    orNullSync(() => Deno.statSync(path)) !== null
  );

/** The manager, and the home of the person; disposing of it ends its services. */
export class UserManager implements AsyncDisposable {
  readonly #folder: string;
  readonly #groups: readonly string[];
  readonly #process: Deno.ChildProcess;

  private constructor(folder: string) {
    this.#folder = folder;
    this.#groups = TREES.map((tree) => join(tree, basename(folder)));
    this.#process = new Deno.Command("sh", {
      args: ["-c", START, "sh", ...this.#groups],
      ...{ env: environmentIn(folder), clearEnv: true },
      ...{ stdin: "null", stdout: "null", stderr: "null" },
    }).spawn();
  }

  /** Starts it; resolves when it takes orders. */
  static async start(): Promise<UserManager> {
    const folder = await Deno.makeTempDir({ prefix: "troupe-systemd-" });
    await Deno.mkdir(join(folder, "run"), { mode: 0o700 });
    await using starting = new AsyncDisposableStack();
    const manager = starting.use(new UserManager(folder));
    await until(() => manager.#isRunning(), { what: "a manager of services", pauseMs: LOOK_MS });
    starting.move();
    return manager;
  }

  /** The person's home folder. */
  get home(): string {
    return this.#folder;
  }

  /** What the person's programs need to reach it. */
  get environment(): Readonly<Record<string, string>> {
    return environmentIn(this.#folder);
  }

  /** What `systemctl --user` says. */
  async systemctl(...words: readonly string[]): Promise<string> {
    const { stdout } = await new Deno.Command("systemctl", {
      args: ["--user", ...words],
      ...{ env: this.environment, clearEnv: true, stderr: "null" },
    }).output();
    return new TextDecoder().decode(stdout).trim();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#process.kill("SIGTERM");
    await this.#process.status;
    await this.#removeGroups();
    await Deno.remove(this.#folder, { recursive: true });
  }

  async #isRunning(): Promise<boolean> {
    const state = await this.systemctl("show", "--property=SystemState", "--value");
    return state === "running" || state === "degraded";
  }

  /** It leaves groups behind, without processes. */
  async #removeGroups(): Promise<void> {
    const args = [...this.#groups, "-depth", "-type", "d", "-exec", "rmdir", "{}", ";"];
    await new Deno.Command("find", { args, stdout: "null", stderr: "null" }).output();
  }
}

function environmentIn(folder: string): Readonly<Record<string, string>> {
  const { PATH = "/usr/bin:/bin" } = Deno.env.toObject();
  return { PATH, HOME: folder, XDG_RUNTIME_DIR: join(folder, "run"), LANG: "C.UTF-8" };
}
