/**
 * Links a device to an account: a phone scans a code, or a code is typed into the phone.
 * @module
 */

import { sleep } from "../../../actors/kernel/clock.ts";
import { SetupError, type SetupScene } from "../../setup.ts";
import type { DeviceStore, StoredDevice } from "../adapters/device_store.ts";
import type { Connect } from "../channel.ts";
import type { PersonIds } from "../ids.ts";
import type { Connection, Ending } from "../link.ts";
import type { ReceivedMessage } from "../wire.ts";

/** How long a person has to fetch a phone and scan. */
const LINKING_MS = 5 * 60_000;
/** The server wants a new connection, as it does after a device was linked. */
const RESTART_CODE = 515;
/** Nobody scanned: new codes need a new connection. Without a code, nobody answered at all. */
const CODES_ENDED_CODE = 408;

/** What linking needs. */
export interface LinkingOptions {
  readonly scene: SetupScene;
  readonly store: DeviceStore;
  readonly connect: Connect;
  /** The phone's number, digits only, to type a code in; "" to scan one. */
  readonly phone: string;
  /** Messages that come as soon as it is linked. */
  readonly onMessage: (message: ReceivedMessage) => void;
}

/** A device that is signed in; it stays so until it is disposed of. */
export interface SignedIn extends AsyncDisposable {
  readonly self: PersonIds;
}

/** How a try to sign in ended. */
export type SignIn =
  | { readonly state: "signed_in"; readonly device: SignedIn }
  | { readonly state: "refused"; readonly ending: Ending };

/** Signs a device in that was linked before. */
export async function signIn(device: StoredDevice, options: LinkingOptions): Promise<SignIn> {
  return await attempt(device, options, () => {});
}

/** Links a new device. @throws {SetupError} when nobody does it in time, or WhatsApp is out of reach */
export async function link(options: LinkingOptions): Promise<SignedIn> {
  const { scene, store } = options;
  const { clock, signal } = scene;
  const endMs = clock.now() + LINKING_MS;
  const showing = codeShower(options);
  let isLinked = false;
  while (clock.now() < endMs) {
    const device = isLinked ? store.current() : store.begin();
    if (device === null) throw new TypeError("Cannot link a device: it was not saved");
    let hasCode = false;
    const onCode = (code: string, connection: Connection): void => {
      hasCode = true;
      showing(code, connection);
    };
    const tried = await attempt(device, options, onCode, () => void (isLinked = true));
    if (tried.state === "signed_in") return tried.device;
    const { code, detail } = tried.ending;
    if ((code === CODES_ENDED_CODE && hasCode) || (code === RESTART_CODE && isLinked)) continue;
    signal.throwIfAborted();
    throw new SetupError("setup_unreachable", `Cannot link the device: ${detail} (${code})`);
  }
  throw new SetupError("setup_incomplete", "Cannot link the device: nobody did it on the phone");
}

/** Shows each code that comes; where one is typed in, the first alone. */
function codeShower(
  { scene, phone }: LinkingOptions,
): (code: string, connection: Connection) => void {
  let hasSpoken = false;
  return (code, connection) => {
    if (phone === "") {
      if (!hasSpoken) {
        scene.say(
          "On the phone, open WhatsApp: Settings, Linked devices, Link a device. Scan this:",
        );
      }
      hasSpoken = true;
      return scene.showLink(code);
    }
    if (hasSpoken) return;
    hasSpoken = true;
    connection.requestCode(phone).then((typed) => {
      scene.say(
        `On the phone, open WhatsApp: Settings, Linked devices, Link with phone number. ` +
          `Type in: ${typed.slice(0, 4)}-${typed.slice(4)}`,
      );
    }, (error) => scene.say(`No code came: ${error instanceof Error ? error.message : error}`));
  };
}

async function attempt(
  device: StoredDevice,
  { scene, store, connect, onMessage }: LinkingOptions,
  onCode: (code: string, connection: Connection) => void,
  onLinked: () => void = () => {},
): Promise<SignIn> {
  const opened = Promise.withResolvers<PersonIds>();
  const connection = connect({
    ...{ store, device },
    events: {
      opened: opened.resolve,
      codeShown: (code) => onCode(code, connection),
      linked: onLinked,
      isWanted: (message) => {
        onMessage(message);
        return false;
      },
      named: () => {},
      kept: () => {},
    },
  });
  const over = new AbortController();
  const late = sleep(scene.clock, LINKING_MS, AbortSignal.any([scene.signal, over.signal]))
    .then((): Ending => ({ code: 0, detail: "nobody did it on the phone in time" }));
  late.catch(() => {}); // its end is nobody's business once the race is won
  let isSignedIn = false;
  try {
    const outcome = await Promise.race([
      opened.promise.then((self) => ({ self })),
      connection.ended.then((ending) => ({ ending })),
      late.then((ending) => ({ ending })),
    ]);
    if ("ending" in outcome) return { state: "refused", ending: outcome.ending };
    isSignedIn = true;
    const dispose = (): PromiseLike<void> => connection[Symbol.asyncDispose]();
    const signedIn = { self: outcome.self, [Symbol.asyncDispose]: dispose };
    return { state: "signed_in", device: signedIn };
  } finally {
    over.abort();
    if (!isSignedIn) await connection[Symbol.asyncDispose]();
  }
}
