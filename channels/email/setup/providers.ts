/**
 * Servers of well-known providers, offered when a mailbox is set up.
 * @module
 */

/** Where a provider's mail is read and sent. */
export interface ProviderServers {
  readonly imapHost: string;
  readonly smtpHost: string;
  readonly smtpPort: 465 | 587;
}

const GMAIL = servers("imap.gmail.com", "smtp.gmail.com", 465);
const ICLOUD = servers("imap.mail.me.com", "smtp.mail.me.com", 587);
const YAHOO = servers("imap.mail.yahoo.com", "smtp.mail.yahoo.com", 465);
const GMX = servers("imap.gmx.net", "mail.gmx.net", 587);

const PROVIDERS: ReadonlyMap<string, ProviderServers> = new Map([
  ["gmail.com", GMAIL],
  ["googlemail.com", GMAIL],
  ["icloud.com", ICLOUD],
  ["me.com", ICLOUD],
  ["yahoo.com", YAHOO],
  ["gmx.net", GMX],
  ["gmx.de", GMX],
  ["fastmail.com", servers("imap.fastmail.com", "smtp.fastmail.com", 465)],
  ["qq.com", servers("imap.qq.com", "smtp.qq.com", 465)],
  ["163.com", servers("imap.163.com", "smtp.163.com", 465)],
  ["126.com", servers("imap.126.com", "smtp.126.com", 465)],
]);

/** The servers for an address: known ones, or the names that most providers use. */
export function serversOf(address: string): ProviderServers {
  const domain = address.slice(address.lastIndexOf("@") + 1).toLowerCase();
  if (domain === "") return servers("", "", 587);
  return PROVIDERS.get(domain) ?? servers(`imap.${domain}`, `smtp.${domain}`, 587);
}

function servers(imapHost: string, smtpHost: string, smtpPort: 465 | 587): ProviderServers {
  return { imapHost, smtpHost, smtpPort };
}
