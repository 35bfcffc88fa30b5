/**
 * Both servers of a section.
 * @module
 */

import type { EmailLink } from "../link.ts";
import type { EmailSection } from "../manifest.ts";
import { ImapServer } from "./imap_server.ts";
import { SmtpServer } from "./smtp_server.ts";

/** Opens nothing yet: the libraries are loaded and the servers connected to when first asked. */
export function openServers(section: EmailSection): EmailLink {
  return { mailbox: new ImapServer(section), post: new SmtpServer(section) };
}
