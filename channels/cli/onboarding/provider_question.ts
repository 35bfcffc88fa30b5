/**
 * Asks for a model provider: what was found first, then any other.
 * @module
 */

import { nearestName } from "../../../actors/config/spelling.ts";
import { needsOnlyKey } from "../../../providers/key_variables.ts";
import { isKind, type Vendor } from "../../../providers/vendor.ts";
import { findVendor, toCamelCase, VENDORS } from "../../../providers/vendors.ts";
import type { ModelOffer, ProviderAnswer } from "./model_offers.ts";
import { choose, type Person } from "./person.ts";

/** What a newcomer answered, and which models are known already. */
export interface AnsweredProvider {
  readonly answer: ProviderAnswer;
  readonly models: readonly string[];
}

/** Signs in to a provider that takes no key. @returns whether it worked */
export type SignIn = (provider: string) => Promise<boolean>;

/** Asks until there is a provider. */
export async function askProvider(
  person: Person,
  offers: readonly ModelOffer[],
  signIn: SignIn,
): Promise<AnsweredProvider> {
  for (;;) {
    const taken = await choose(person, "Which one?", [
      ...offers.map(({ label }) => label),
      "a vendor, with a key that you type in",
      "a server with an address of its own (OpenAI's chat completions)",
    ]);
    const offer = offers[taken];
    if (offer !== undefined) return offer;
    const answer = taken === offers.length
      ? await askVendor(person, signIn)
      : await askServer(person);
    if (answer !== null) return { answer, models: [] };
  }
}

/** Null: back to the beginning. */
async function askVendor(person: Person, signIn: SignIn): Promise<ProviderAnswer | null> {
  const known = VENDORS.filter((vendor) => needsOnlyKey(vendor) || isKind(vendor, "oauth"));
  const names = known.map(({ name }) => toCamelCase(name));
  person.say(`Vendors: ${names.join(", ")}`);
  const written = await person.ask("Which vendor? (Enter goes back) ");
  if (written === "") return null;
  const vendor = findVendor(written);
  if (vendor === undefined || !known.includes(vendor)) {
    const nearest = nearestName(written, names);
    person.refuse(`Cannot use "${written}": no vendor has that name${didYouMean(nearest)}`);
    return null;
  }
  const name = toCamelCase(vendor.name);
  if (isKind(vendor, "oauth")) {
    return await signIn(name) ? { name, apiKey: null, apiBase: null } : null;
  }
  const apiKey = await askKey(person, vendor);
  return apiKey === "" ? null : { name, apiKey, apiBase: null };
}

function didYouMean(nearest: string | null): string {
  return nearest === null ? "" : `; did you mean ${nearest}?`;
}

async function askKey(person: Person, { displayName, keyPrefix }: Vendor): Promise<string> {
  person.say(
    "The key is kept in the configuration file, which only you can read. ${NAME} instead of it " +
      "means the environment variable of that name, wherever the gateway runs.",
  );
  const hint = keyPrefix === undefined ? "" : ` (${keyPrefix}…)`;
  return await person.ask(`Key of ${displayName}${hint}, not shown: `, { isSecret: true });
}

async function askServer(person: Person): Promise<ProviderAnswer | null> {
  const apiBase = await person.ask(
    "Its address, such as http://127.0.0.1:8000/v1 (Enter goes back): ",
  );
  if (apiBase === "") return null;
  if (!isHttpUrl(apiBase)) {
    person.refuse(`Cannot use "${apiBase}": it is no http or https URL`);
    return null;
  }
  const apiKey = await person.ask("Its key, not shown (Enter: it wants none): ", {
    isSecret: true,
  });
  return { name: "custom", apiBase, apiKey: apiKey === "" ? null : apiKey };
}

function isHttpUrl(text: string): boolean {
  return /^https?:$/.test(URL.parse(text)?.protocol ?? "");
}
