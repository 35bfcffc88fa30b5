/**
 * The phone's half of linking a device: it scans a code, or a code is typed into it.
 * @module
 */

import {
  aesDecryptCTR,
  aesDecryptGCM,
  aesEncryptCTR,
  Curve,
  derivePairingCodeKey,
  hkdf,
  hmacSign,
  type KeyPair,
  proto,
} from "@whiskeysockets/baileys";
import type { BinaryNode } from "@whiskeysockets/baileys";
import { Buffer } from "node:buffer";
import { randomBytes } from "node:crypto";
import { bytesIn, childOf, node, SERVER } from "./nodes.ts";
import type { KeyBundle } from "./phone.ts";

const ACCOUNT_PREFIX = Buffer.from([6, 0]);
const DEVICE_PREFIX = Buffer.from([6, 1]);
const EMPTY = Buffer.alloc(0);

/** Who a linked device becomes. */
export interface LinkedName {
  readonly jid: string;
  readonly lidJid: string;
}

/** The keys that a device registers with. */
export function bundleOf({ devicePairingData: data }: proto.ClientPayload): KeyBundle {
  const { eRegid, eIdent, eSkeyId, eSkeyVal, eSkeySig } = data ?? {};
  if (!eRegid || !eIdent || !eSkeyId || !eSkeyVal || !eSkeySig) {
    throw new TypeError("Cannot register a device: keys are missing");
  }
  return {
    registrationId: Buffer.from(eRegid).readUInt32BE(0),
    identity: eIdent,
    signedPreKey: {
      keyId: Buffer.from(eSkeyId).readUIntBE(0, 3),
      public: eSkeyVal,
      signature: eSkeySig,
    },
  };
}

/** The account's own phone, which vouches for its devices. */
export class PrimaryPhone {
  readonly #identity: KeyPair = Curve.generateKeyPair();
  readonly #ephemeral: KeyPair = Curve.generateKeyPair();

  readonly #vouched = new Map<string, proto.ADVSignedDeviceIdentity>();

  /** Vouches for a device. */
  vouch(identity: Uint8Array): proto.ADVSignedDeviceIdentity {
    const name = Buffer.from(identity).toString("base64");
    const vouched = this.#vouched.get(name) ?? this.#sign(identity);
    this.#vouched.set(name, vouched);
    return vouched;
  }

  #sign(identity: Uint8Array): proto.ADVSignedDeviceIdentity {
    const details = proto.ADVDeviceIdentity.encode({ rawId: 1, timestamp: 1, keyIndex: 1 })
      .finish();
    const signed = Buffer.concat([ACCOUNT_PREFIX, details, identity]);
    return proto.ADVSignedDeviceIdentity.create({
      details,
      accountSignatureKey: this.#identity.public,
      accountSignature: Curve.sign(this.#identity.private, signed),
    });
  }

  /** What the server tells a device that was accepted. */
  success(identity: Uint8Array, advSecret: Uint8Array, { jid, lidJid }: LinkedName): BinaryNode {
    const details = proto.ADVSignedDeviceIdentity.encode(this.vouch(identity)).finish();
    const hmac = hmacSign(details, advSecret);
    const sealed = proto.ADVSignedDeviceIdentityHMAC.encode({ details, hmac }).finish();
    return node("iq", { id: "pair-1", from: SERVER, type: "set" }, [
      node("pair-success", {}, [
        node("device-identity", {}, sealed),
        node("device", { jid, lid: lidJid }),
        node("platform", { name: "android" }),
      ]),
    ]);
  }

  /** Did the device sign what the phone vouched for? */
  isSignedBy(identity: Uint8Array, answer: Uint8Array): boolean {
    const { details, deviceSignature } = proto.ADVSignedDeviceIdentity.decode(answer);
    if (!details || !deviceSignature) return false;
    const signed = Buffer.concat([DEVICE_PREFIX, details, identity, this.#identity.public]);
    return Curve.verify(identity, signed, deviceSignature);
  }

  /** The code was typed in: what the server tells the device. */
  async codeEntered(code: string, ref: string): Promise<BinaryNode> {
    const salt = randomBytes(32);
    const iv = randomBytes(16);
    const key = await derivePairingCodeKey(code, salt);
    const wrapped = Buffer.concat([salt, iv, aesEncryptCTR(this.#ephemeral.public, key, iv)]);
    const attrs = { id: "link-1", from: SERVER, type: "link_code_companion_reg" };
    return node("notification", attrs, [
      node("link_code_companion_reg", { stage: "primary_hello" }, [
        node("link_code_pairing_ref", {}, Buffer.from(ref)),
        node("primary_identity_pub", {}, this.#identity.public),
        node("link_code_pairing_wrapped_primary_ephemeral_pub", {}, wrapped),
      ]),
    ]);
  }

  /** The secret that both sides share after a code was typed in, by what the device sent. */
  async secretByCode(code: string, hello: BinaryNode, finish: BinaryNode): Promise<Uint8Array> {
    const wrapped = bytesIn(childOf(hello, "link_code_pairing_wrapped_companion_ephemeral_pub"));
    const codeKey = await derivePairingCodeKey(code, Buffer.from(wrapped.subarray(0, 32)));
    const theirs = aesDecryptCTR(wrapped.subarray(48), codeKey, wrapped.subarray(32, 48));
    const shared = Curve.sharedKey(this.#ephemeral.private, theirs);
    const bundle = Buffer.from(bytesIn(childOf(finish, "link_code_pairing_wrapped_key_bundle")));
    const key = hkdf(shared, 32, {
      salt: bundle.subarray(0, 32),
      info: "link_code_pairing_key_bundle_encryption_key",
    });
    const opened = aesDecryptGCM(bundle.subarray(44), key, bundle.subarray(32, 44), EMPTY);
    const identity = bytesIn(childOf(finish, "companion_identity_public"));
    const random = opened.subarray(64);
    const identityShared = Curve.sharedKey(this.#identity.private, identity);
    return hkdf(Buffer.concat([shared, identityShared, random]), 32, { info: "adv_secret" });
  }
}
