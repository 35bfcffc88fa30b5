/**
 * The server that mails are given to, by the library's SMTP client: one connection a mail, so that
 * it is known at each failure how far the mail had come.
 * @module
 */

import { Buffer } from "node:buffer";
import type { Socket } from "node:net";
import type SMTPConnection from "nodemailer/lib/smtp-connection";
import { type EmailSection, isThisMachine } from "../manifest.ts";
import type { OutgoingMail, PostServer } from "../link.ts";
import { smtpError, type SmtpStage } from "./smtp_errors.ts";
import { openSocket } from "./socket.ts";
import { tlsOptions } from "./connecting.ts";
import { hideHostname } from "./system_name.ts";

/** Servers that look for viruses take their time over the end of a mail. */
const ANSWER_MS = 2 * 60_000;

/** The server that `smtpHost` names. */
export class SmtpServer implements PostServer {
  readonly #section: EmailSection;
  readonly #connectMs: number;

  /** @param connectMs how long a server may take to be connected to, and to greet */
  constructor(section: EmailSection, connectMs: number) {
    this.#section = section;
    this.#connectMs = connectMs;
  }

  async send({ from, to, bytes }: OutgoingMail, signal: AbortSignal): Promise<void> {
    await this.#signedIn(signal, async (connection, ask) => {
      const envelope = { from, to: [to], size: bytes.length };
      await ask("send", (done) => connection.send(envelope, Buffer.from(bytes), done));
    });
  }

  async check(signal: AbortSignal): Promise<void> {
    await this.#signedIn(signal, () => Promise.resolve());
  }

  async #signedIn(
    signal: AbortSignal,
    work: (connection: SMTPConnection, ask: Ask) => Promise<void>,
  ): Promise<void> {
    hideHostname();
    const { default: Connection } = await import("nodemailer/lib/smtp-connection");
    signal.throwIfAborted();
    const { smtpHost, smtpPort, smtpUseSsl, smtpUseTls } = this.#section;
    const connection = new Connection({
      connection: await this.#socket(signal),
      host: smtpHost,
      port: smtpPort,
      secure: smtpUseSsl,
      requireTLS: !smtpUseSsl && (smtpUseTls || !isThisMachine(smtpHost)),
      ignoreTLS: !smtpUseSsl && !smtpUseTls,
      name: "localhost",
      tls: tlsOptions(this.#section),
      connectionTimeout: this.#connectMs,
      greetingTimeout: this.#connectMs,
      socketTimeout: ANSWER_MS,
      socketCloseTimeout: 0,
    });
    const failed = Promise.withResolvers<never>();
    failed.promise.catch(() => {}); // whoever asks something hears of it
    connection.on("error", failed.reject);
    connection.on("end", () => failed.reject(new Error("the server closed the connection")));
    const stop = (): void => {
      failed.reject(signal.reason);
      connection.close();
    };
    signal.addEventListener("abort", stop, { once: true });
    const ask: Ask = async (stage, question) => {
      try {
        const answered = new Promise<void>((resolve, reject) => {
          question((error) => error ? reject(error) : resolve());
        });
        await Promise.race([answered, failed.promise]);
      } catch (error) {
        throw smtpError(this.#action, stage, error);
      }
    };
    try {
      await ask("connect", (done) => connection.connect(done));
      await ask("login", (done) => connection.login(this.#credentials, done));
      await work(connection, ask);
      connection.quit();
    } finally {
      signal.removeEventListener("abort", stop);
      connection.close();
    }
  }

  async #socket(signal: AbortSignal): Promise<Socket> {
    const { smtpHost: host, smtpPort: port } = this.#section;
    try {
      return await openSocket({ host, port, timeoutMs: this.#connectMs, signal });
    } catch (error) {
      signal.throwIfAborted();
      throw smtpError(this.#action, "connect", error);
    }
  }

  get #action(): string {
    const { smtpHost, smtpPort } = this.#section;
    return `send mail at "${smtpHost}:${smtpPort}"`;
  }

  get #credentials(): { readonly user: string; readonly pass: string } {
    const { smtpUsername: user, smtpPassword: pass } = this.#section;
    return { user, pass };
  }
}

/** Puts a question to the server; throws what its stage makes of a failure. */
type Ask = (
  stage: SmtpStage,
  question: (done: (error?: Error | null) => void) => void,
) => Promise<void>;
