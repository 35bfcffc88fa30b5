/**
 * The control door on this machine: a Unix socket in the state folder, or a loopback port with a
 * token in a file where there can be no such socket (Windows, very long paths).
 * @module
 */

import { join } from "node:path";
import { z } from "zod";
import { removeIfThere } from "../../kernel/adapters/missing.ts";
import { writeAll } from "../../kernel/adapters/write_all.ts";
import type { ControlConnection, ControlListener } from "../control.ts";
import type { ControlPeer } from "../control_client.ts";
import { ControlError } from "../control_errors.ts";

/** The socket, in the state folder. */
const SOCKET_FILE = "control.sock";
/** Port and token, in the state folder, where there is no socket. */
const PORT_FILE = "control.json";
/** After an accept that failed (no descriptors left), the next try waits. */
const ACCEPT_PAUSE_MS = 100;
const READ_BYTES = 64 * 1024;
const TOKEN_BYTES = 32;

const portSchema = z.object({ port: z.int().min(1).max(65_535), token: z.string() });

/** How the door is reached. */
export type ControlTransport = "unix" | "tcp";

/** By Unix socket wherever the system has them. */
export const DEFAULT_TRANSPORT: ControlTransport = Deno.build.os === "windows" ? "tcp" : "unix";

/**
 * Opens the door in a state folder whose lock this process holds: what lies there of an earlier
 * process is removed.
 *
 * @throws {Error} what the system says when neither socket nor port can be had
 */
export async function listenControl(
  stateFolder: string,
  transport: ControlTransport = DEFAULT_TRANSPORT,
): Promise<ControlListener> {
  await removeLeftovers(stateFolder);
  if (transport === "tcp") return await listenTcp(stateFolder);
  try {
    return await listenUnix(join(stateFolder, SOCKET_FILE));
  } catch (error) {
    // Clients lack that right too, and would look for a socket.
    if (error instanceof Deno.errors.NotCapable) throw error;
    // A path too long for a socket, or a file system without them.
    try {
      return await listenTcp(stateFolder);
    } catch {
      throw error;
    }
  }
}

/** Knocks at the door of whoever runs with this state folder; null where nobody opens. */
export async function connectControl(stateFolder: string): Promise<ControlPeer | null> {
  if (Deno.build.os !== "windows") {
    const path = join(stateFolder, SOCKET_FILE);
    const socket = await connected(stateFolder, () => Deno.connect({ transport: "unix", path }));
    if (socket !== null) return { connection: new SocketConnection(socket), token: null };
  }
  const where = await readPortFile(join(stateFolder, PORT_FILE));
  if (where === null) return null;
  const { port, token } = where;
  const socket = await connected(stateFolder, () => Deno.connect({ hostname: "127.0.0.1", port }));
  return socket === null ? null : { connection: new SocketConnection(socket), token };
}

async function listenUnix(path: string): Promise<ControlListener> {
  const listener = Deno.listen({ transport: "unix", path });
  // Until here only the folder, which is its owner's alone, kept others out.
  await Deno.chmod(path, 0o600);
  return new SocketListener(listener, { place: path, token: null, files: [path] });
}

async function listenTcp(stateFolder: string): Promise<ControlListener> {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const { port } = listener.addr;
  const token = crypto.getRandomValues(new Uint8Array(TOKEN_BYTES)).toHex();
  const file = join(stateFolder, PORT_FILE);
  try {
    await Deno.writeTextFile(file, JSON.stringify({ port, token }), {
      mode: 0o600,
      createNew: true,
    });
  } catch (error) {
    listener.close();
    throw error;
  }
  return new SocketListener(listener, { place: `127.0.0.1:${port}`, token, files: [file] });
}

async function removeLeftovers(stateFolder: string): Promise<void> {
  for (const name of [SOCKET_FILE, PORT_FILE]) await removeIfThere(join(stateFolder, name));
}

async function readPortFile(path: string): Promise<z.infer<typeof portSchema> | null> {
  try {
    return portSchema.parse(JSON.parse(await Deno.readTextFile(path)));
  } catch {
    return null; // none, or one that is being written
  }
}

async function connected(
  stateFolder: string,
  connect: () => Promise<Deno.Conn>,
): Promise<Deno.Conn | null> {
  try {
    return await connect();
  } catch (error) {
    const isNobody = error instanceof Deno.errors.NotFound ||
      error instanceof Deno.errors.ConnectionRefused || error instanceof Deno.errors.NotADirectory;
    // A path that is too long for a socket: the door is elsewhere.
    if (isNobody || error instanceof TypeError) return null;
    if (!(error instanceof Deno.errors.PermissionDenied)) throw error;
    throw new ControlError(
      "control_unreachable",
      `Cannot knock at a gateway in "${stateFolder}": the folder is another user's; ` +
        "run this as that user, or name another by TROUPE_HOME or --config",
      { cause: error },
    );
  }
}

interface SocketPlace {
  readonly place: string;
  readonly token: string | null;
  /** Removed when the door closes. */
  readonly files: readonly string[];
}

class SocketListener implements ControlListener {
  readonly place: string;
  readonly token: string | null;
  readonly #listener: Deno.Listener;
  readonly #files: readonly string[];
  #isClosed = false;

  constructor(listener: Deno.Listener, { place, token, files }: SocketPlace) {
    this.#listener = listener;
    this.place = place;
    this.token = token;
    this.#files = files;
  }

  get connections(): AsyncIterable<ControlConnection> {
    return this.#accept();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#listener.close();
    for (const file of this.#files) await removeIfThere(file);
  }

  async *#accept(): AsyncGenerator<ControlConnection, void, void> {
    while (!this.#isClosed) {
      try {
        yield new SocketConnection(await this.#listener.accept());
      } catch {
        if (this.#isClosed) return;
        await new Promise<void>((resolve) => setTimeout(resolve, ACCEPT_PAUSE_MS));
      }
    }
  }
}

class SocketConnection implements ControlConnection {
  readonly #socket: Deno.Conn;
  #isClosed = false;

  constructor(socket: Deno.Conn) {
    this.#socket = socket;
  }

  get bytes(): AsyncIterable<Uint8Array> {
    return this.#read();
  }

  async write(text: string): Promise<void> {
    await writeAll(this.#socket, new TextEncoder().encode(text));
  }

  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#socket.close();
  }

  /** A connection that breaks has ended, as far as its reader is concerned. */
  async *#read(): AsyncGenerator<Uint8Array, void, void> {
    const buffer = new Uint8Array(READ_BYTES);
    while (!this.#isClosed) {
      const count = await this.#socket.read(buffer).catch(() => null);
      if (count === null) return;
      yield buffer.subarray(0, count);
    }
  }
}
