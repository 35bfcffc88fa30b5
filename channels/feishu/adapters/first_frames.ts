/**
 * Holds back the first frames of a connection until the SDK listens: it does so a few promises
 * after the handshake, and what came right behind the handshake's answer would find nobody.
 * @module
 */

import type * as Lark from "@larksuiteoapi/node-sdk";

/** The part of a socket that is needed here (of the package `ws`). */
interface PausableSocket {
  pause(): void;
  resume(): void;
}

/**
 * Makes `client` keep the frames of its coming connections for one turn of the event loop. It
 * reaches for what the SDK calls when a socket has opened; a version of the SDK without it works
 * as ever, and a lost first frame is sent again by the platform.
 */
export function holdFirstFrames(client: Lark.WSClient): void {
  const sockets: unknown = Reflect.get(client, "wsConfig");
  if (typeof sockets !== "object" || sockets === null) return;
  const keep: unknown = Reflect.get(sockets, "setWSInstance");
  if (typeof keep !== "function") return;
  Reflect.set(sockets, "setWSInstance", (socket: unknown) => {
    if (isPausable(socket)) {
      socket.pause();
      setTimeout(() => socket.resume(), 0);
    }
    return Reflect.apply(keep, sockets, [socket]);
  });
}

function isPausable(socket: unknown): socket is PausableSocket {
  return typeof socket === "object" && socket !== null &&
    typeof Reflect.get(socket, "pause") === "function" &&
    typeof Reflect.get(socket, "resume") === "function";
}
