/**
 * Real mail servers for tests: Dovecot reads and takes mails by TLS, under a certificate of an
 * authority that was made for this test. What it takes it hands to a relay here.
 * @module
 */

import { Buffer } from "node:buffer";
import { join } from "node:path";
import SMTPConnection from "nodemailer/lib/smtp-connection";
import { LineServer } from "../simulators/email/line_socket.ts";
import { type PostedMail, serveSmtp } from "../simulators/email/smtp_session.ts";
import { freePort } from "../support/free_port.ts";
import { temporaryFolder } from "../support/temporary_folder.ts";
import { until } from "../support/until.ts";

/** Dovecot changes between users of its own, which only root may. */
export const MAY_SERVE_MAIL: boolean = Deno.uid() === 0;

/** The one mailbox, and its password. */
export const ACCOUNT = { user: "bot@example.org", password: "correct horse" } as const;

/** Dovecot with one mailbox; hold it with `await using`. */
export class MailServers implements AsyncDisposable {
  /** Mails that were taken, in order. */
  readonly relayed: PostedMail[] = [];
  /** Whose certificates are trusted; PEM. */
  readonly authority: string;
  readonly ports: Ports;
  readonly #resources: AsyncDisposableStack;

  private constructor(
    parts: { readonly authority: string; readonly ports: Ports; readonly relayed: PostedMail[] },
    resources: AsyncDisposableStack,
  ) {
    this.authority = parts.authority;
    this.ports = parts.ports;
    this.relayed = parts.relayed;
    this.#resources = resources;
  }

  /** Starts all in a folder of its own. */
  static async start(): Promise<MailServers> {
    await using starting = new AsyncDisposableStack();
    const { path: folder } = starting.use(await temporaryFolder());
    await Deno.chmod(folder, 0o755);
    const relayed: PostedMail[] = [];
    const relay = starting.use(
      new LineServer((socket) =>
        serveSmtp(socket, {
          user: null,
          password: "",
          extensions: ["8BITMIME"],
          takeFault: () => null,
          onMail: (mail) => void relayed.push(mail),
        })
      ),
    );
    const authority = await makeCertificates(folder);
    const ports = { imap: freePort(), imaps: freePort(), submission: freePort(), lmtp: freePort() };
    const mails = join(folder, "mail");
    await Deno.mkdir(mails);
    await run("chown", "mail:mail", mails);
    await Deno.writeTextFile(
      join(folder, "users"),
      `${ACCOUNT.user}:{PLAIN}${ACCOUNT.password}::::::\n`,
    );
    const config = join(folder, "dovecot.conf");
    await Deno.writeTextFile(config, dovecotConfig(folder, ports, relay.port));
    await run("dovecot", "-c", config);
    starting.defer(() => run("doveadm", "-c", config, "stop"));
    await until(() => isListening(ports.lmtp), { what: "Dovecot", timeoutMs: 20_000 });
    return new MailServers({ authority, ports, relayed }, starting.move());
  }

  /** Puts a mail into the mailbox as it is. */
  async deliver(mail: string): Promise<void> {
    const connection = new SMTPConnection({
      lmtp: true,
      ignoreTLS: true,
      host: "127.0.0.1",
      port: this.ports.lmtp,
      socketCloseTimeout: 0,
    });
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    connection.on("error", reject);
    const bytes = Buffer.from(mail.replace(/\r?\n/g, "\r\n"));
    connection.connect((error) => {
      if (error) return reject(error);
      const envelope = { from: "sender@example.net", to: [ACCOUNT.user] };
      connection.send(envelope, bytes, (failure) => failure ? reject(failure) : resolve());
    });
    try {
      await promise;
    } finally {
      connection.close();
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#resources[Symbol.asyncDispose]();
  }
}

/** Where the servers listen on 127.0.0.1. */
export interface Ports {
  readonly imap: number;
  readonly imaps: number;
  readonly submission: number;
  readonly lmtp: number;
}

function dovecotConfig(folder: string, ports: Ports, relayPort: number): string {
  return `base_dir = ${folder}/run
log_path = ${folder}/log
protocols = imap lmtp submission
listen = 127.0.0.1
hostname = localhost
ssl = required
ssl_cert = <${folder}/server.pem
ssl_key = <${folder}/server.key
mail_location = maildir:${folder}/mail/%u
first_valid_uid = 1
auth_mechanisms = plain login
passdb {
  driver = passwd-file
  args = ${folder}/users
}
userdb {
  driver = static
  args = uid=mail gid=mail home=${folder}/mail/%u
}
service imap-login {
  inet_listener imap {
    port = ${ports.imap}
  }
  inet_listener imaps {
    port = ${ports.imaps}
    ssl = yes
  }
}
service submission-login {
  inet_listener submission {
    port = ${ports.submission}
  }
}
service lmtp {
  inet_listener lmtp {
    port = ${ports.lmtp}
  }
}
submission_relay_host = 127.0.0.1
submission_relay_port = ${relayPort}
namespace inbox {
  inbox = yes
  mailbox Sent {
    special_use = \\Sent
    auto = create
  }
}
`;
}

/** An authority, and a certificate of its for this machine. @returns the authority's, as PEM */
async function makeCertificates(folder: string): Promise<string> {
  const at = (name: string): string => join(folder, name);
  const key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"];
  await run(
    "openssl",
    "req",
    "-x509",
    ...key,
    "-days",
    "2",
    "-subj",
    "/CN=authority",
    "-keyout",
    at("authority.key"),
    "-out",
    at("authority.pem"),
  );
  await run(
    "openssl",
    "req",
    ...key,
    "-subj",
    "/CN=localhost",
    "-keyout",
    at("server.key"),
    "-out",
    at("server.csr"),
  );
  await Deno.writeTextFile(at("names"), "subjectAltName=DNS:localhost,IP:127.0.0.1\n");
  await run(
    "openssl",
    "x509",
    "-req",
    "-in",
    at("server.csr"),
    "-CA",
    at("authority.pem"),
    "-CAkey",
    at("authority.key"),
    "-CAcreateserial",
    "-days",
    "2",
    "-extfile",
    at("names"),
    "-out",
    at("server.pem"),
  );
  return await Deno.readTextFile(at("authority.pem"));
}

async function isListening(port: number): Promise<boolean> {
  try {
    using _connection = await Deno.connect({ hostname: "127.0.0.1", port });
    return true;
  } catch {
    return false;
  }
}

/** Runs a program to its end; what it leaves running would hold a pipe open, so it gets none. */
async function run(name: string, ...args: readonly string[]): Promise<void> {
  const command = new Deno.Command(name, { args: [...args], stdout: "null", stderr: "null" });
  const { success, code } = await command.output();
  if (!success) throw new Error(`Cannot run ${name} ${args.join(" ")}: code ${code}`);
}
