/**
 * One client's SMTP session (RFC 5321, submission with AUTH).
 * @module
 */

import type { LineSocket } from "./line_socket.ts";

/** What happens to a mail that is given. */
export type PostFault =
  /** Answered by this line, at this command. */
  | { readonly at: "RCPT" | "DATA" | "END" | "AUTH"; readonly reply: string }
  /** Taken, but the connection ends before the answer. */
  | { readonly at: "LOST" };

/** A mail that was taken. */
export interface PostedMail {
  readonly from: string;
  readonly to: readonly string[];
  readonly bytes: Uint8Array;
}

/** What a session talks about. */
export interface SmtpWorld {
  /** Null for a server that asks nobody who they are. */
  readonly user: string | null;
  readonly password: string;
  readonly extensions: readonly string[];
  /** The next fault for this command, taken away. */
  takeFault(at: PostFault["at"]): PostFault | null;
  onMail(mail: PostedMail): void;
}

/** Longer lines break the protocol, whatever they say. */
const LINE_BYTES_MAX = 998;

/** Talks to one client until it is gone. @throws when the client breaks the protocol */
export async function serveSmtp(socket: LineSocket, world: SmtpWorld): Promise<void> {
  let isSignedIn = world.user === null;
  let from = "";
  let to: string[] = [];
  const answer = async (at: PostFault["at"], otherwise: string): Promise<boolean> => {
    const fault = world.takeFault(at);
    const reply = fault !== null && "reply" in fault ? fault.reply : otherwise;
    await socket.send(reply);
    return reply === otherwise;
  };
  await socket.send("220 simulator ESMTP");
  for (let line = await socket.line(); line !== null; line = await socket.line()) {
    const [, path = ""] = /<([^>]*)>/.exec(line) ?? [];
    switch (line.split(/[ :]/, 1)[0]?.toUpperCase()) {
      case "EHLO":
        await socket.send(
          ["simulator", ...world.extensions].map((word, index, all) =>
            `250${index === all.length - 1 ? " " : "-"}${word}`
          ).join("\r\n"),
        );
        break;
      case "AUTH": {
        const [, , initial] = line.split(" ");
        if (initial === undefined) await socket.send("334 ");
        const given = atob(initial ?? await socket.line() ?? "");
        const isRight = given === `\0${world.user}\0${world.password}`;
        const reply = isRight ? "235 welcome" : "535 5.7.8 Username and password not accepted";
        isSignedIn = await answer("AUTH", reply) && isRight;
        break;
      }
      case "MAIL":
        from = path;
        to = [];
        await socket.send(isSignedIn ? "250 fine" : "530 5.7.0 Authentication required");
        break;
      case "RCPT":
        if (await answer("RCPT", "250 fine")) to.push(path);
        break;
      case "DATA": {
        if (!await answer("DATA", "354 go on")) break;
        const bytes = await mailOf(socket);
        if (bytes === null) return;
        if (world.takeFault("LOST") !== null) return world.onMail({ from, to, bytes });
        if (await answer("END", "250 2.0.0 taken")) world.onMail({ from, to, bytes });
        break;
      }
      case "RSET":
      case "NOOP":
        await socket.send("250 fine");
        break;
      case "QUIT":
        return await socket.send("221 bye");
      default:
        await socket.send("502 unknown command");
    }
  }
}

/** The mail up to the dot; null when the client is gone before it. */
async function mailOf(socket: LineSocket): Promise<Uint8Array | null> {
  const lines: string[] = [];
  for (;;) {
    const line = await socket.line();
    if (line === null) return null;
    if (line === ".") return new TextEncoder().encode(`${lines.join("\r\n")}\r\n`);
    const bytes = new TextEncoder().encode(line).length;
    if (bytes > LINE_BYTES_MAX) throw new Error(`Cannot take a line of ${bytes} bytes`);
    lines.push(line.startsWith(".") ? line.slice(1) : line);
  }
}
