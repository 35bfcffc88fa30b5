/**
 * What the SDK's socket client lacks, added from outside: it listens a few promises too late for
 * the first frames, settings without an interval make it ping without pause, and it does not tell
 * of frames that come.
 * @module
 */

import type * as Lark from "@larksuiteoapi/node-sdk";

/** The part of a socket that is needed here (of the package `ws`). */
interface PausableSocket {
  pause(): void;
  resume(): void;
  on(event: "message", listener: () => void): void;
}

/**
 * Mends `client` before it starts. It reaches for what the SDK calls when a socket has opened and
 * when settings arrive; a version of the SDK without that works as ever.
 */
export function mendSocketClient(
  client: Lark.WSClient,
  { onFrame }: { readonly onFrame: () => void },
): void {
  const settings: unknown = Reflect.get(client, "wsConfig");
  if (typeof settings !== "object" || settings === null) return;
  changeFirstArgument(settings, "setWSInstance", (socket) => {
    if (isPausable(socket)) socket.on("message", onFrame);
    return holdFirstFrames(socket);
  });
  changeFirstArgument(settings, "updateWs", withoutBadInterval);
}

/** Frames right behind the handshake's answer wait for one turn of the loop: nobody listens yet. */
function holdFirstFrames(socket: unknown): unknown {
  if (isPausable(socket)) {
    socket.pause();
    setTimeout(() => socket.resume(), 0);
  }
  return socket;
}

/** An interval that is no positive number is left out, so that the last good one stays. */
function withoutBadInterval(change: unknown): unknown {
  if (typeof change !== "object" || change === null || !("pingInterval" in change)) return change;
  const { pingInterval, ...others } = change;
  return typeof pingInterval === "number" && pingInterval > 0 ? change : others;
}

function changeFirstArgument(
  target: object,
  name: string,
  mend: (argument: unknown) => unknown,
): void {
  const method: unknown = Reflect.get(target, name);
  if (typeof method !== "function") return;
  Reflect.set(target, name, (argument: unknown) => Reflect.apply(method, target, [mend(argument)]));
}

function isPausable(socket: unknown): socket is PausableSocket {
  return typeof socket === "object" && socket !== null &&
    typeof Reflect.get(socket, "pause") === "function" &&
    typeof Reflect.get(socket, "resume") === "function" &&
    typeof Reflect.get(socket, "on") === "function";
}
