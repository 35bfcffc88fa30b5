/**
 * Runs inside a sandbox without a network: carries connections from 127.0.0.1 to the gateway's
 * proxy, over the Unix socket that is bound into the sandbox. Imports nothing, as nothing else is
 * there. Says `ok` once it listens.
 * @module
 */

/** Relays until the sandbox ends; the arguments are the port and the path of the socket. */
export async function relay([port = "", socket = ""]: readonly string[]): Promise<void> {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: Number(port) });
  await Deno.stdout.write(new TextEncoder().encode("ok\n"));
  for await (const inner of listener) void carry(inner, socket);
}

async function carry(inner: Deno.TcpConn, path: string): Promise<void> {
  try {
    const outer = await Deno.connect({ transport: "unix", path });
    await Promise.allSettled([
      inner.readable.pipeTo(outer.writable),
      outer.readable.pipeTo(inner.writable),
    ]);
  } catch {
    inner.close(); // the gateway has ended, or takes no more
  }
}

if (import.meta.main) await relay(Deno.args);
