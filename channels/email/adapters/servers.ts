/**
 * Both servers of a section.
 * @module
 */

import type { EmailLink } from "../link.ts";
import type { EmailSection } from "../manifest.ts";
import { ImapServer } from "./imap_server.ts";
import { SmtpServer } from "./smtp_server.ts";

/** How long a server may take to be connected to, and to greet. */
const CONNECT_MS = 20_000;

/** Opens nothing yet: the libraries are loaded and the servers connected to when first asked. */
export function openServers(section: EmailSection, connectMs: number = CONNECT_MS): EmailLink {
  return {
    mailbox: new ImapServer(section, connectMs),
    post: new SmtpServer(section, connectMs),
  };
}
