/**
 * What the keys of the WebSocket section are for.
 * @module
 */

import type { SettingTexts } from "../../actors/config/descriptions/setting_text.ts";

/** By key of the section. */
export const texts: SettingTexts = {
  enabled: "Starts the channel.",
  allowFrom: 'Client ids of those who may write, or `"*"` for everyone.',
  allowOrigins:
    'Pages of other addresses that may connect from a browser: `https://host`, or `"*"` for all.',
  showReasoning: "What the model thinks comes along.",
  host: "The address that the server listens at.",
  port: "Its port; 0: any free one.",
  path: { takes: "path", text: "Where clients connect; it begins with `/`." },
  token: "A secret that lets every client in. Needed where other machines reach the server.",
  tokenIssuePath: { takes: "path", text: "Where short-lived tokens are issued. Empty: nowhere." },
  tokenIssueSecret: "What has to be shown for such a token. Empty: nothing.",
  tokenTtlS: "Seconds for which such a token is good.",
  websocketRequiresToken: "Without `token`, a client needs an issued one.",
  sharedChats:
    "Any client may follow any chat; otherwise a chat belongs to the client that uses it first.",
  streaming: "Answers come in pieces while they grow; otherwise whole.",
  maxMessageBytes: "Bytes of the largest frame that a client may send.",
  maxConnections: "Sockets that are open at once; more are refused.",
  pingIntervalS: "Seconds between two pings, by which lost clients are found.",
  pingTimeoutS: "Seconds that the answer to one may take.",
  sslCertfile: { takes: "path", text: "Certificate (PEM) for TLS; with its key, or neither." },
  sslKeyfile: { takes: "path", text: "The certificate's key (PEM)." },
};
