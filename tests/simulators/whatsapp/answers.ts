/**
 * What the server answers to a client's questions.
 * @module
 */

import type { BinaryNode } from "@whiskeysockets/baileys";
import { childOf, childrenOf, node, SERVER } from "./nodes.ts";
import { bundleNodes, type KeyBundle, type Phone } from "./phone.ts";

/** A group as the server knows it. */
export interface Group {
  readonly jid: string;
  readonly subject: string;
  readonly members: readonly Phone[];
}

/** What there is to answer from. */
export interface Directory {
  phoneOf(jid: string): Phone | undefined;
  groupOf(jid: string): Group | undefined;
  /** The linked device and the account it belongs to. */
  readonly bot: { readonly jid: string; readonly lidJid: string; readonly device: number };
  /** The device's own keys: it writes to itself in groups. */
  readonly botBundle: KeyBundle | null;
  /** Where files go. */
  readonly mediaHost: string;
  /** One-time keys that the server still has of the device. */
  readonly preKeys: number;
}

/** Answers a question; null for one that is answered elsewhere. */
export async function answerTo(iq: BinaryNode, directory: Directory): Promise<BinaryNode | null> {
  const { id = "", xmlns = "", to = SERVER, type } = iq.attrs;
  if (type === "result") return null;
  const result = (content: BinaryNode[] = []): BinaryNode =>
    node("iq", { id, from: to, type: "result" }, content);
  switch (xmlns) {
    case "encrypt":
      return result(await encryptAnswer(iq, directory));
    case "usync":
      return result([usyncAnswer(iq, directory)]);
    case "abt":
      return result([node("props")]);
    case "blocklist":
      return result([node("list")]);
    case "privacy":
      return result([
        node("privacy", {}, [node("category", { name: "readreceipts", value: "all" })]),
      ]);
    case "w:m":
      return result([mediaAnswer(directory)]);
    case "w:g2":
      return groupAnswer(iq, directory, result);
    default:
      return result();
  }
}

async function encryptAnswer(iq: BinaryNode, directory: Directory): Promise<BinaryNode[]> {
  if (childOf(iq, "count") !== undefined) {
    return [node("count", { value: String(directory.preKeys) })];
  }
  if (childOf(iq, "digest") !== undefined) return [node("digest")];
  const asked = childOf(iq, "key");
  if (asked === undefined) return [];
  const users = childrenOf(asked, "user").map(({ attrs: { jid = "" } }) => jid);
  const bundles = users.map(async (jid) => {
    const phone = directory.phoneOf(jid);
    if (phone !== undefined) return await phone.bundle(jid);
    const { bot, botBundle } = directory;
    const isOwn = botBundle !== null && [bot.jid, bot.lidJid].includes(jid);
    return isOwn
      ? node("user", { jid }, bundleNodes(botBundle))
      : node("user", { jid }, [node("error", { code: "404", text: "item-not-found" })]);
  });
  return [node("list", {}, await Promise.all(bundles))];
}

function usyncAnswer(iq: BinaryNode, directory: Directory): BinaryNode {
  const asked = childOf(iq, "usync") ?? node("usync");
  const list = childOf(asked, "list") ?? node("list");
  const users = childrenOf(list, "user").map(({ attrs: { jid = "" } }) => {
    const phone = directory.phoneOf(jid);
    const devices = phone === undefined
      ? [node("device", { id: String(directory.bot.device), "key-index": "1" })]
      : [node("device", { id: "0" })];
    const lid = phone?.lidJid ?? directory.bot.lidJid;
    return node("user", { jid }, [
      node("devices", {}, [node("device-list", {}, devices)]),
      node("lid", { val: lid }),
    ]);
  });
  return node("usync", asked.attrs, [node("list", {}, users)]);
}

function mediaAnswer({ mediaHost }: Directory): BinaryNode {
  return node("media_conn", { auth: "media-auth", ttl: "300" }, [
    node("host", { hostname: mediaHost, maxContentLengthBytes: "100000000" }),
  ]);
}

function groupAnswer(
  iq: BinaryNode,
  directory: Directory,
  result: (content: BinaryNode[]) => BinaryNode,
): BinaryNode {
  const group = directory.groupOf(iq.attrs["to"] ?? "");
  if (group === undefined) return result([node("error", { code: "404", text: "item-not-found" })]);
  const members = group.members.map(({ lidJid, phoneJid }) =>
    node("participant", { jid: lidJid, phone_number: phoneJid })
  );
  const { jid, lidJid } = directory.bot;
  const id = group.jid.split("@")[0] ?? "";
  const attrs = { id, subject: group.subject, creation: "1700000000", addressing_mode: "lid" };
  return result([
    node("group", attrs, [...members, node("participant", { jid: lidJid, phone_number: jid })]),
  ]);
}
