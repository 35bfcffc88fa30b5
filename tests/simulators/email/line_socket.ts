/**
 * A connection of a mail protocol: lines and counted bytes in, text and bytes out.
 * @module
 */

/** One connection of a client. */
export class LineSocket implements Disposable {
  readonly #connection: Deno.Conn;
  readonly #encoder = new TextEncoder();
  #buffer: Uint8Array = new Uint8Array();
  #writing: Promise<void> = Promise.resolve();
  #isClosed = false;

  constructor(connection: Deno.Conn) {
    this.#connection = connection;
  }

  /** The next line without its end; null when the client is gone. */
  async line(): Promise<string | null> {
    for (let from = 0;;) {
      const end = this.#buffer.indexOf(10, from);
      if (end !== -1) {
        const line = new TextDecoder().decode(this.#buffer.subarray(0, end)).replace(/\r$/, "");
        this.#buffer = this.#buffer.subarray(end + 1);
        return line;
      }
      from = this.#buffer.length;
      if (!await this.#fill()) return null;
    }
  }

  /** The next so many bytes; null when the client is gone. */
  async bytes(count: number): Promise<Uint8Array | null> {
    while (this.#buffer.length < count) if (!await this.#fill()) return null;
    const taken = this.#buffer.slice(0, count);
    this.#buffer = this.#buffer.subarray(count);
    return taken;
  }

  /** Sends a line, behind what is being sent. */
  send(line: string): Promise<void> {
    return this.write(this.#encoder.encode(`${line}\r\n`));
  }

  /** Sends bytes, behind what is being sent; a client that is gone is no fault. */
  write(bytes: Uint8Array): Promise<void> {
    this.#writing = this.#writing.then(async () => {
      for (let sent = 0; sent < bytes.length && !this.#isClosed;) {
        sent += await this.#connection.write(bytes.subarray(sent));
      }
    }).catch(() => this[Symbol.dispose]());
    return this.#writing;
  }

  [Symbol.dispose](): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#connection.close();
  }

  async #fill(): Promise<boolean> {
    const chunk = new Uint8Array(65_536);
    const count = await this.#connection.read(chunk).catch(() => null);
    if (count === null) return false;
    const joined = new Uint8Array(this.#buffer.length + count);
    joined.set(this.#buffer);
    joined.set(chunk.subarray(0, count), this.#buffer.length);
    this.#buffer = joined;
    return true;
  }
}

/** Listens on a port of 127.0.0.1, and knows who is connected. */
export class LineServer implements AsyncDisposable {
  readonly port: number;
  /** Who connects is sent away at once. */
  isOffline = false;
  readonly #listener: Deno.TcpListener;
  readonly #sockets = new Set<LineSocket>();
  readonly #sessions = new Set<Promise<void>>();
  readonly #accepting: Promise<void>;

  /** @param serve talks to one client until it is gone */
  constructor(serve: (socket: LineSocket) => Promise<void>) {
    this.#listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
    this.port = this.#listener.addr.port;
    this.#accepting = this.#accept(serve);
  }

  /** Connections that are open. */
  get open(): number {
    return this.#sockets.size;
  }

  /** Ends all connections. */
  cutAll(): void {
    for (const socket of this.#sockets) socket[Symbol.dispose]();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#listener.close();
    this.cutAll();
    await this.#accepting;
    await Promise.all(this.#sessions);
  }

  async #accept(serve: (socket: LineSocket) => Promise<void>): Promise<void> {
    for await (const connection of this.#listener) {
      const socket = new LineSocket(connection);
      if (this.isOffline) {
        socket[Symbol.dispose]();
        continue;
      }
      this.#sockets.add(socket);
      const session = serve(socket).finally(() => {
        socket[Symbol.dispose]();
        this.#sockets.delete(socket);
        this.#sessions.delete(session);
      });
      this.#sessions.add(session);
    }
  }
}
