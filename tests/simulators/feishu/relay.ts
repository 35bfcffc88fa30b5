/**
 * A TCP relay in front of the platform's HTTP server, where the network can fail: a connection
 * can be cut, frozen (half-open: nothing moves, nobody is told) or ended in the middle of an answer.
 * @module
 */

import { Buffer } from "node:buffer";

const HEAD_END = new TextEncoder().encode("\r\n\r\n");

/** One client connection. */
export class Link {
  /** Resolves when the connection is gone, whoever ended it. */
  readonly closed: Promise<void>;
  readonly #outer: Deno.Conn;
  readonly #inner: Deno.Conn;
  #thawed: PromiseWithResolvers<void> | undefined;
  #answerBytesMax: number | undefined;
  #isCut = false;

  constructor(outer: Deno.Conn, inner: Deno.Conn) {
    this.#outer = outer;
    this.#inner = inner;
    this.closed = this.#run();
  }

  /** Ends the connection at once, without a word on any protocol above. */
  cut(): void {
    if (this.#isCut) return;
    this.#isCut = true;
    this.thaw();
    for (const side of [this.#outer, this.#inner]) {
      try {
        side.close();
      } catch {
        // The side was closed by its peer already.
      }
    }
  }

  /** Says something to the client that the server has not said. */
  async interject(bytes: Uint8Array): Promise<void> {
    for (let sent = 0; sent < bytes.length;) sent += await this.#outer.write(bytes.subarray(sent));
  }

  /** Moves no byte in either direction until `thaw`. */
  freeze(): void {
    this.#thawed ??= Promise.withResolvers();
  }

  thaw(): void {
    this.#thawed?.resolve();
    this.#thawed = undefined;
  }

  /** Lets the head and `bytesMax` bytes of the next answer's body through, then cuts. */
  cutInAnswer(bytesMax: number): void {
    this.#answerBytesMax = bytesMax;
  }

  async #run(): Promise<void> {
    await Promise.all([
      this.#pump(this.#outer, this.#inner),
      this.#pump(this.#inner, this.#outer),
    ]);
    this.cut();
  }

  async #pump(from: Deno.Conn, to: Deno.Conn): Promise<void> {
    const buffer = new Uint8Array(65_536);
    try {
      for (let size = await from.read(buffer); size !== null; size = await from.read(buffer)) {
        await this.#thawed?.promise;
        const chunk = this.#limited(from, buffer.subarray(0, size));
        for (let sent = 0; sent < chunk.length;) sent += await to.write(chunk.subarray(sent));
        if (chunk.length < size) return this.cut();
      }
      await this.#thawed?.promise;
      await to.closeWrite();
    } catch {
      await this.#thawed?.promise;
      this.cut(); // The connection broke: the other direction must learn it too.
    }
  }

  #limited(from: Deno.Conn, chunk: Uint8Array): Uint8Array {
    if (this.#answerBytesMax === undefined || from !== this.#inner) return chunk;
    const head = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length).indexOf(HEAD_END);
    return chunk.subarray(0, head + HEAD_END.length + this.#answerBytesMax);
  }
}

/** Listens on a free port of 127.0.0.1 and relays each connection to `innerPort`. */
export class Relay implements AsyncDisposable {
  /** Takes no new connections while true: each is closed as soon as it is made. */
  #isRefusing = false;
  readonly #innerPort: number;
  readonly #listener: Deno.TcpListener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  readonly #links = new Map<number, Link>();
  readonly #accepting: Promise<void>;

  constructor(innerPort: number) {
    this.#innerPort = innerPort;
    this.#accepting = this.#accept();
  }

  get port(): number {
    return this.#listener.addr.port;
  }

  /** The link whose inner side comes from `innerClientPort`. */
  link(innerClientPort: number): Link | undefined {
    return this.#links.get(innerClientPort);
  }

  /** The network goes away: connections break, new ones are closed as soon as they are made. */
  goOffline(): void {
    this.#isRefusing = true;
    this.cutAll();
  }

  /** The network is back. */
  comeBack(): void {
    this.#isRefusing = false;
  }

  /** Cuts every connection there is. */
  cutAll(): void {
    for (const link of this.#links.values()) link.cut();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#listener.close();
    const links = [...this.#links.values()];
    this.goOffline();
    await this.#accepting;
    await Promise.all(links.map((link) => link.closed));
  }

  async #accept(): Promise<void> {
    for await (const outer of this.#listener) {
      if (this.#isRefusing) {
        outer.close();
        continue;
      }
      const inner = await Deno.connect({ hostname: "127.0.0.1", port: this.#innerPort });
      const key = inner.localAddr.port;
      const link = new Link(outer, inner);
      this.#links.set(key, link);
      void link.closed.then(() => this.#links.delete(key));
      if (this.#isRefusing) link.cut();
    }
  }
}
