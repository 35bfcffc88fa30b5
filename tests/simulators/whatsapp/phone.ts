/**
 * A person's phone: its Signal identity, what it can decrypt, and what it shows.
 * @module
 */

import {
  addTransactionCapability,
  Curve,
  DEFAULT_CONNECTION_CONFIG,
  encodeWAMessage,
  initAuthCreds,
  type KeyPair,
  proto,
  type SignalDataSet,
  type SignalDataTypeMap,
  type SignalKeyStore,
  type SignalRepositoryWithLIDStore,
  unpadRandomMax16,
} from "@whiskeysockets/baileys";
import type { AuthenticationCreds, BinaryNode } from "@whiskeysockets/baileys";
import { Buffer } from "node:buffer";
import { bigEndian, node } from "./nodes.ts";

/** The keys of a device that others need to begin to talk to it. */
export interface KeyBundle {
  readonly registrationId: number;
  readonly identity: Uint8Array;
  readonly signedPreKey: {
    readonly keyId: number;
    readonly public: Uint8Array;
    readonly signature: Uint8Array;
  };
}

/** Something encrypted, as it goes over the wire. */
export interface Sealed {
  readonly type: "pkmsg" | "msg" | "skmsg";
  readonly bytes: Uint8Array;
}

/** Signal's key as it is written: with its type in front. */
const KEY_TYPE = 5;
const silent = {
  level: "silent",
  child: () => silent,
  trace: () => {},
  debug: () => {},
  info: () => {},
  warn: () => {},
  error: () => {},
};

/** One phone. */
export class Phone implements Disposable {
  readonly phone: string;
  readonly lid: string;
  readonly name: string;
  readonly #creds: AuthenticationCreds;
  readonly #keys = memoryKeys();
  readonly #signal: SignalRepositoryWithLIDStore;
  #preKeyId = 0;

  constructor(phone: string, { lid, name }: { readonly lid: string; readonly name: string }) {
    this.phone = phone;
    this.lid = lid;
    this.name = name;
    this.#creds = freshCredentials(phone);
    const keys = addTransactionCapability(this.#keys, silent, {
      maxCommitRetries: 1,
      delayBetweenTriesMs: 1,
    });
    this.#signal = DEFAULT_CONNECTION_CONFIG.makeSignalRepository(
      { creds: this.#creds, keys },
      silent,
    );
  }

  get phoneJid(): string {
    return `${this.phone}@s.whatsapp.net`;
  }

  get lidJid(): string {
    return `${this.lid}@lid`;
  }

  /** Its keys for somebody who begins to talk to it, with a key that is used once. */
  async bundle(jid: string): Promise<BinaryNode> {
    const { registrationId, signedIdentityKey, signedPreKey } = this.#creds;
    const once: KeyPair = Curve.generateKeyPair();
    const id = ++this.#preKeyId;
    await this.#keys.set({ "pre-key": { [id]: once } });
    const { keyId, keyPair, signature } = signedPreKey;
    return node("user", { jid }, [
      ...bundleNodes({
        registrationId,
        identity: signedIdentityKey.public,
        signedPreKey: { keyId, public: keyPair.public, signature },
      }),
      node("key", {}, [node("id", {}, bigEndian(id, 3)), node("value", {}, once.public)]),
    ]);
  }

  /** Encrypts for a device; begins a session with it where there is none. */
  async seal(jid: string, bundle: KeyBundle, message: proto.IMessage): Promise<Sealed> {
    const { exists } = await this.#signal.validateSession(jid);
    if (!exists) {
      const { registrationId, identity, signedPreKey } = bundle;
      const { keyId, signature } = signedPreKey;
      await this.#signal.injectE2ESession({
        jid,
        session: {
          registrationId,
          identityKey: typed(identity),
          signedPreKey: { keyId, publicKey: typed(signedPreKey.public), signature },
        },
      });
    }
    const data = encodeWAMessage(message);
    const { type, ciphertext } = await this.#signal.encryptMessage({ jid, data });
    return { type, bytes: ciphertext };
  }

  /** Encrypts for a group, with the key that its members need. */
  async sealForGroup(
    group: string,
    message: proto.IMessage,
  ): Promise<{ readonly sealed: Sealed; readonly key: proto.IMessage }> {
    const data = encodeWAMessage(message);
    const { ciphertext, senderKeyDistributionMessage } = await this.#signal.encryptGroupMessage({
      group,
      meId: this.lidJid,
      data,
    });
    return {
      sealed: { type: "skmsg", bytes: ciphertext },
      key: {
        senderKeyDistributionMessage: {
          groupId: group,
          axolotlSenderKeyDistributionMessage: senderKeyDistributionMessage,
        },
      },
    };
  }

  /** Decrypts what a device sent to this phone alone. */
  async open(jid: string, { type, bytes }: Sealed): Promise<proto.Message> {
    if (type === "skmsg") throw new TypeError("Cannot open a group's message as a direct one");
    const plain = await this.#signal.decryptMessage({ jid, type, ciphertext: bytes });
    const message = proto.Message.decode(unpadRandomMax16(plain));
    const { senderKeyDistributionMessage: key } = message;
    if (key) await this.#signal.processSenderKeyDistributionMessage({ authorJid: jid, item: key });
    return message;
  }

  /** Decrypts what a device sent to a group. */
  async openOfGroup(group: string, jid: string, bytes: Uint8Array): Promise<proto.Message> {
    const plain = await this.#signal.decryptGroupMessage({ group, authorJid: jid, msg: bytes });
    return proto.Message.decode(unpadRandomMax16(plain));
  }

  [Symbol.dispose](): void {
    this.#signal.close?.();
  }
}

/** A bundle as it is written. */
export function bundleNodes({ registrationId, identity, signedPreKey }: KeyBundle): BinaryNode[] {
  return [
    node("registration", {}, bigEndian(registrationId, 4)),
    node("type", {}, Uint8Array.of(KEY_TYPE)),
    node("identity", {}, identity),
    node("skey", {}, [
      node("id", {}, bigEndian(signedPreKey.keyId, 3)),
      node("value", {}, signedPreKey.public),
      node("signature", {}, signedPreKey.signature),
    ]),
  ];
}

/** Signing is slow: people keep their keys from test to test. */
const KNOWN_CREDENTIALS = new Map<string, AuthenticationCreds>();

/** Keys of somebody, the same for the same `name`; nobody has used them yet. */
export function freshCredentials(name: string): AuthenticationCreds {
  const known = KNOWN_CREDENTIALS.get(name) ?? initAuthCreds();
  KNOWN_CREDENTIALS.set(name, known);
  return { ...known };
}

/** Signal's library takes its own kind of bytes only. */
function typed(key: Uint8Array): Buffer {
  return Buffer.from([KEY_TYPE, ...key]);
}

function memoryKeys(): SignalKeyStore {
  const values = new Map<string, unknown>();
  return {
    get<Type extends keyof SignalDataTypeMap>(
      type: Type,
      ids: string[],
    ): { [id: string]: SignalDataTypeMap[Type] } {
      const found: { [id: string]: SignalDataTypeMap[Type] } = {};
      for (const id of ids) {
        const value = values.get(`${type} ${id}`);
        if (value !== undefined) Object.assign(found, { [id]: value });
      }
      return found;
    },
    set(data: SignalDataSet) {
      for (const [type, entries] of Object.entries(data)) {
        for (const [id, value] of Object.entries(entries)) {
          if (value === null) values.delete(`${type} ${id}`);
          else values.set(`${type} ${id}`, value);
        }
      }
    },
  };
}
