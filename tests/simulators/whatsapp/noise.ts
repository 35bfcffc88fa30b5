/**
 * The server's half of WhatsApp's Noise XX handshake, and the transport that follows it.
 * @module
 */

import {
  aesDecryptGCM,
  aesEncryptGCM,
  Curve,
  hkdf,
  type KeyPair,
  proto,
  sha256,
} from "@whiskeysockets/baileys";
import { Buffer } from "node:buffer";
import { createPrivateKey, createPublicKey, diffieHellman } from "node:crypto";

const MODE = Buffer.from("Noise_XX_25519_AESGCM_SHA256\0\0\0\0");
/** How X25519 keys begin that are written with their kind. */
const PRIVATE_KEY_HEAD = Buffer.from("302e020100300506032b656e04220420", "hex");
const PUBLIC_KEY_HEAD = Buffer.from("302a300506032b656e032100", "hex");
const EMPTY = new Uint8Array(0);
/** `WA`, the protocol's version and the dictionary's: what a client says first. */
export const HEADER: Uint8Array = Uint8Array.of(0x57, 0x41, 6, 3);

/** Who a server is: its key, and the root that vouches for it. */
export class ServerIdentity {
  readonly #root: KeyPair = Curve.generateKeyPair();
  readonly #static: KeyPair = Curve.generateKeyPair();
  #certificates: Uint8Array | undefined;

  /** What a client must know to trust this server. */
  get rootKey(): Uint8Array {
    return this.#root.public;
  }

  get staticKey(): KeyPair {
    return this.#static;
  }

  /** Leaf and intermediate certificate, each signed by what stands above it. */
  certificates(): Uint8Array {
    return this.#certificates ??= this.#signed();
  }

  #signed(): Uint8Array {
    const { Details } = proto.CertChain.NoiseCertificate;
    const between = Curve.generateKeyPair();
    const leaf = Details.encode({ serial: 2, issuerSerial: 1, key: this.#static.public }).finish();
    const upper = Details.encode({ serial: 1, issuerSerial: 0, key: between.public }).finish();
    return proto.CertChain.encode({
      leaf: { details: leaf, signature: Curve.sign(between.private, leaf) },
      intermediate: { details: upper, signature: Curve.sign(this.#root.private, upper) },
    }).finish();
  }
}

/** One handshake. */
export class NoiseResponder {
  readonly #identity: ServerIdentity;
  readonly #ephemeral: KeyPair = Curve.generateKeyPair();
  #hash: Uint8Array = MODE;
  #salt: Uint8Array = MODE;
  #key: Uint8Array = MODE;
  #counter = 0;

  constructor(identity: ServerIdentity) {
    this.#identity = identity;
    this.#authenticate(HEADER);
  }

  /** Answers the first frame of a client. */
  hello(frame: Uint8Array): Uint8Array {
    const { clientHello } = proto.HandshakeMessage.decode(frame);
    const theirs = clientHello?.ephemeral;
    if (!theirs) throw new TypeError("Cannot shake hands: no client hello");
    const { staticKey } = this.#identity;
    this.#authenticate(theirs);
    this.#authenticate(this.#ephemeral.public);
    this.#mix(sharedKey(this.#ephemeral.private, theirs));
    const encryptedStatic = this.#encrypt(staticKey.public);
    this.#mix(sharedKey(staticKey.private, theirs));
    const payload = this.#encrypt(this.#identity.certificates());
    const serverHello = { ephemeral: this.#ephemeral.public, static: encryptedStatic, payload };
    return proto.HandshakeMessage.encode({ serverHello }).finish();
  }

  /** Reads the last frame of the handshake: who the client says it is. */
  finish(frame: Uint8Array): { readonly payload: proto.ClientPayload; readonly noise: Transport } {
    const { clientFinish } = proto.HandshakeMessage.decode(frame);
    if (!clientFinish?.static || !clientFinish.payload) {
      throw new TypeError("Cannot shake hands: no client finish");
    }
    const theirs = this.#decrypt(clientFinish.static);
    this.#mix(sharedKey(this.#ephemeral.private, theirs));
    const payload = proto.ClientPayload.decode(this.#decrypt(clientFinish.payload));
    const [theirKey, ourKey] = this.#expand(EMPTY);
    return { payload, noise: new Transport(ourKey, theirKey) };
  }

  #authenticate(data: Uint8Array): void {
    this.#hash = sha256(Buffer.concat([this.#hash, data]));
  }

  #encrypt(plain: Uint8Array): Uint8Array {
    const sealed = aesEncryptGCM(plain, this.#key, ivOf(this.#counter++), this.#hash);
    this.#authenticate(sealed);
    return sealed;
  }

  #decrypt(sealed: Uint8Array): Uint8Array {
    const plain = aesDecryptGCM(sealed, this.#key, ivOf(this.#counter++), this.#hash);
    this.#authenticate(sealed);
    return plain;
  }

  #mix(secret: Uint8Array): void {
    const [salt, key] = this.#expand(secret);
    this.#salt = salt;
    this.#key = key;
    this.#counter = 0;
  }

  #expand(secret: Uint8Array): readonly [Uint8Array, Uint8Array] {
    const expanded = hkdf(secret, 64, { salt: Buffer.from(this.#salt), info: "" });
    return [expanded.subarray(0, 32), expanded.subarray(32)];
  }
}

/** What is sent after the handshake. */
export class Transport {
  readonly #ourKey: Uint8Array;
  readonly #theirKey: Uint8Array;
  #sent = 0;
  #received = 0;

  constructor(ourKey: Uint8Array, theirKey: Uint8Array) {
    this.#ourKey = ourKey;
    this.#theirKey = theirKey;
  }

  seal(plain: Uint8Array): Uint8Array {
    return aesEncryptGCM(plain, this.#ourKey, ivOf(this.#sent++), EMPTY);
  }

  open(sealed: Uint8Array): Uint8Array {
    return aesDecryptGCM(sealed, this.#theirKey, ivOf(this.#received++), EMPTY);
  }
}

/** A frame as it goes over the socket: three bytes of length before it. */
export function framed(body: Uint8Array): Uint8Array<ArrayBuffer> {
  const frame = new Uint8Array(3 + body.length);
  frame.set([body.length >> 16, (body.length >> 8) & 0xff, body.length & 0xff]);
  frame.set(body, 3);
  return frame;
}

/** Cuts a stream of bytes into frames. */
export class FrameReader {
  #rest: Uint8Array = EMPTY;

  /** The frames that are whole now. */
  take(bytes: Uint8Array): readonly Uint8Array[] {
    const all = Buffer.concat([this.#rest, bytes]);
    const frames: Uint8Array[] = [];
    let at = 0;
    while (all.length - at >= 3) {
      const end = at + 3 + all.readUIntBE(at, 3);
      if (end > all.length) break;
      frames.push(all.subarray(at + 3, end));
      at = end;
    }
    this.#rest = all.subarray(at);
    return frames;
  }
}

/** What both sides of an exchange of keys know. */
function sharedKey(own: Uint8Array, theirs: Uint8Array): Uint8Array {
  const privateKey = createPrivateKey({
    key: Buffer.concat([PRIVATE_KEY_HEAD, own]),
    format: "der",
    type: "pkcs8",
  });
  const publicKey = createPublicKey({
    key: Buffer.concat([PUBLIC_KEY_HEAD, theirs]),
    format: "der",
    type: "spki",
  });
  return diffieHellman({ privateKey, publicKey });
}

function ivOf(counter: number): Uint8Array {
  const iv = new Uint8Array(12);
  new DataView(iv.buffer).setUint32(8, counter);
  return iv;
}
