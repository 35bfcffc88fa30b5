/**
 * An SSH server of the test's own on this machine, with keys of its own, for the person who runs
 * the test alone.
 * @module
 */

import assert from "node:assert/strict";
import { userInfo } from "node:os";
import { join } from "node:path";
import { freePort } from "../support/free_port.ts";
import { until } from "../support/until.ts";

const SSHD = "/usr/sbin/sshd";
/** The server wants this empty folder when it runs as root; the system's own start makes it. */
const ROOTS_FOLDER = "/run/sshd";

/** Why no terminal can be reached by SSH here; undefined where one can. */
export const WITHOUT_SSH: string | undefined = !exists(SSHD)
  ? "no OpenSSH server is installed"
  : Deno.uid() !== 0 && !terminalsHaveTheirGroup()
  ? "on this machine only root's OpenSSH server can give a terminal"
  : undefined;

/** A server that ends, with its files, when it is disposed of. */
export class SshServer implements AsyncDisposable {
  readonly #folder: string;
  readonly #port: number;
  readonly #server: Deno.ChildProcess;

  private constructor(folder: string, port: number, server: Deno.ChildProcess) {
    this.#folder = folder;
    this.#port = port;
    this.#server = server;
  }

  /** Starts it on a free port; resolves when it listens. */
  static async start(): Promise<SshServer> {
    const folder = await Deno.makeTempDir({ prefix: "troupe-ssh-" });
    for (const key of ["host_key", "client_key"]) await makeKey(join(folder, key));
    const port = freePort();
    const config = join(folder, "sshd_config");
    await Deno.writeTextFile(config, serverConfig(folder, port));
    const publicKey = (await Deno.readTextFile(join(folder, "host_key.pub"))).trim();
    await Deno.writeTextFile(join(folder, "known_hosts"), `[127.0.0.1]:${port} ${publicKey}\n`);
    if (Deno.uid() === 0) await Deno.mkdir(ROOTS_FOLDER, { recursive: true, mode: 0o755 });
    const args = ["-D", "-f", config, "-E", join(folder, "log")];
    const server = new Deno.Command(SSHD, { args, stdin: "null" }).spawn();
    await until(() => listens(port), { what: "the SSH server" });
    return new SshServer(folder, port, server);
  }

  /** The words that run a command on the server; `-tt` among the flags gives it a terminal. */
  command(flags: readonly string[], remote: string): string[] {
    const options = [
      `IdentityFile=${join(this.#folder, "client_key")}`,
      `UserKnownHostsFile=${join(this.#folder, "known_hosts")}`,
      ...["IdentitiesOnly=yes", "IdentityAgent=none", "BatchMode=yes", "LogLevel=ERROR"],
    ];
    return [
      ...["ssh", "-F", "none", "-p", `${this.#port}`],
      ...options.flatMap((option) => ["-o", option]),
      ...flags,
      ...[`${userInfo().username}@127.0.0.1`, remote],
    ];
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.kill("SIGTERM");
    await this.#server.status;
    await Deno.remove(this.#folder, { recursive: true });
  }
}

/** Nobody else is let in, and nothing of the machine's own configuration counts. */
function serverConfig(folder: string, port: number): string {
  return [
    "ListenAddress 127.0.0.1",
    `Port ${port}`,
    `HostKey ${join(folder, "host_key")}`,
    `AuthorizedKeysFile ${join(folder, "client_key.pub")}`,
    "PidFile none",
    `AllowUsers ${userInfo().username}`,
    "PermitRootLogin prohibit-password",
    "PasswordAuthentication no",
    "KbdInteractiveAuthentication no",
    "UsePAM no",
    "StrictModes no", // whoever may write into the folder of temporary files is not asked about
    "",
  ].join("\n");
}

async function makeKey(path: string): Promise<void> {
  const args = ["-q", "-t", "ed25519", "-N", "", "-C", "", "-f", path];
  assert.ok((await new Deno.Command("ssh-keygen", { args }).output()).success);
}

async function listens(port: number): Promise<boolean> {
  try {
    using _connection = await Deno.connect({ hostname: "127.0.0.1", port });
    return true;
  } catch (error) {
    if (error instanceof Deno.errors.ConnectionRefused) return false;
    throw error;
  }
}

/** Whether terminals are made with the group that the server gives them, which else takes root. */
function terminalsHaveTheirGroup(): boolean {
  const mounts = Deno.readTextFileSync("/proc/self/mounts");
  const [, gid] = /^\S+ \/dev\/pts devpts \S*\bgid=(\d+)/m.exec(mounts) ?? [];
  const [, group] = /^tty:[^:]*:(\d+):/m.exec(Deno.readTextFileSync("/etc/group")) ?? [];
  return gid === group;
}

function exists(path: string): boolean {
  try {
    return Deno.statSync(path) !== null;
  } catch {
    return false;
  }
}
