/**
 * Signal as the library does it, with two mends: each step of a key is on disk before the message
 * goes out that it encrypted, and a message that was read is on disk with the step that read it,
 * before its sender is told that it arrived.
 * @module
 */

import { AsyncLocalStorage } from "node:async_hooks";
import type {
  BinaryNode,
  SignalDataSet,
  SignalDataTypeMap,
  SignalKeyStore,
  SignalRepositoryWithLIDStore,
  SocketConfig,
} from "@whiskeysockets/baileys";
import type { DeviceKeys, KeyChange } from "./device_keys.ts";
import type { Library } from "./library.ts";

type MakeRepository = SocketConfig["makeSignalRepository"];

/** What is kept with the keys. */
export interface SignalOptions {
  readonly keys: DeviceKeys;
  /** The node in which something encrypted came; undefined when it is not known. */
  readonly stanzaOf: (ciphertext: Uint8Array) => BinaryNode | undefined;
  /**
   * A message was read; what this writes to the keys' database becomes durable with them, and what
   * it returns is called after that.
   */
  readonly onRead: (stanza: BinaryNode, plain: Uint8Array) => () => void;
}

/** Makes what the library encrypts and decrypts with. */
export function durableSignal(make: MakeRepository, options: SignalOptions): MakeRepository {
  const { keys, stanzaOf, onRead } = options;
  return (auth, logger, find): SignalRepositoryWithLIDStore => {
    const inner = make(auth, logger, find);
    // Outside of the transaction in which the library sends: that one ends after the sending.
    const outside = AsyncLocalStorage.snapshot();
    const reading = (
      ciphertext: Uint8Array,
      read: () => Promise<Uint8Array>,
    ): Promise<Uint8Array> =>
      outside(async () => {
        let onDurable = (): void => {};
        const text = await keys.together(read, (plain) => {
          const stanza = stanzaOf(ciphertext);
          if (stanza !== undefined) onDurable = onRead(stanza, plain);
        });
        onDurable();
        return text;
      });
    return {
      ...inner,
      encryptMessage: (wanted) => outside(() => inner.encryptMessage(wanted)),
      encryptGroupMessage: (wanted) => outside(() => inner.encryptGroupMessage(wanted)),
      getSenderKeyDistributionMessage: (wanted) =>
        outside(() => inner.getSenderKeyDistributionMessage(wanted)),
      hasSenderKey: (wanted) => outside(() => inner.hasSenderKey(wanted)),
      injectE2ESession: (wanted) => outside(() => inner.injectE2ESession(wanted)),
      validateSession: (jid) => outside(() => inner.validateSession(jid)),
      getSessionInfo: (jid) => outside(() => inner.getSessionInfo(jid)),
      deleteSession: (jids) => outside(() => inner.deleteSession(jids)),
      migrateSession: (from, to) => outside(() => inner.migrateSession(from, to)),
      processSenderKeyDistributionMessage: (wanted) =>
        outside(() => inner.processSenderKeyDistributionMessage(wanted)),
      decryptMessage: (wanted) => reading(wanted.ciphertext, () => inner.decryptMessage(wanted)),
      decryptGroupMessage: (wanted) => reading(wanted.msg, () => inner.decryptGroupMessage(wanted)),
    };
  };
}

/** The keys on disk as the library wants them. */
export function keyStore({ BufferJSON, proto }: Library, keys: DeviceKeys): SignalKeyStore {
  const read = (type: string, text: string): unknown => {
    const value: unknown = JSON.parse(text, BufferJSON.reviver);
    if (type !== "app-state-sync-key" || typeof value !== "object" || value === null) return value;
    return proto.Message.AppStateSyncKeyData.fromObject(value);
  };
  return {
    get<Type extends keyof SignalDataTypeMap>(
      type: Type,
      ids: string[],
    ): { [id: string]: SignalDataTypeMap[Type] } {
      const found: { [id: string]: SignalDataTypeMap[Type] } = {};
      for (const id of ids) {
        const text = keys.get(type, id);
        if (text !== null) Object.assign(found, { [id]: read(type, text) });
      }
      return found;
    },
    set(data: SignalDataSet): void {
      const changes = Object.entries(data).flatMap(([type, entries]) =>
        Object.entries(entries).map(([id, value]): KeyChange => ({
          type,
          id,
          value: value === null ? null : JSON.stringify(value, BufferJSON.replacer),
        }))
      );
      keys.set(changes);
    },
  };
}
