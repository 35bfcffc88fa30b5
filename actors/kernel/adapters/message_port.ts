/**
 * The platform's MessagePort as a link's port.
 * @module
 */

import type { LinkPort } from "../worker_link.ts";

/** Wraps one end of a MessageChannel. */
export function linkPort(port: MessagePort): LinkPort {
  return {
    post: (envelope) => port.postMessage(envelope),
    listen(onData) {
      port.onmessage = (event) => onData(event.data);
      port.onmessageerror = () => onData(undefined);
    },
    close: () => port.close(),
  };
}
