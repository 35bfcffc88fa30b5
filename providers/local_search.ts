/**
 * Looks for model servers at the usual places of this machine.
 * @module
 */

import { z } from "zod";
import type { LocalServer } from "./local_servers.ts";

/** Gets the JSON at an address of this machine; rejects when there is none in a moment. */
export type LocalProbe = (url: string) => Promise<unknown>;

/** Where they listen unless told otherwise. Never another machine. */
const PLACES: readonly Omit<LocalServer, "models">[] = [
  { name: "ollama", displayName: "Ollama", baseUrl: "http://127.0.0.1:11434/v1" },
  { name: "lmStudio", displayName: "LM Studio", baseUrl: "http://127.0.0.1:1234/v1" },
  { name: "vllm", displayName: "vLLM", baseUrl: "http://127.0.0.1:8000/v1" },
  { name: "custom", displayName: "llama.cpp", baseUrl: "http://127.0.0.1:8080/v1" },
];

/** Anything may listen there: only names of models that are such are shown to people. */
const MODEL_NAME = /^[\w./:@+-]{1,100}$/;
const EMBEDDING = /embed/i;

const modelList = z.object({ data: z.array(z.object({ id: z.string() })) });

/** Asks all usual places at once; in the order of the places. */
export async function findLocalServers(probe: LocalProbe): Promise<readonly LocalServer[]> {
  const found = await Promise.all(PLACES.map(async (place) => {
    const models = await modelsAt(`${place.baseUrl}/models`, probe);
    const [first, ...others] = models;
    return first === undefined ? [] : [{ ...place, models: [first, ...others] as const }];
  }));
  return found.flat();
}

async function modelsAt(url: string, probe: LocalProbe): Promise<readonly string[]> {
  let body: unknown;
  try {
    body = await probe(url);
  } catch {
    return []; // Nobody is there, which is the usual case.
  }
  const names = (modelList.safeParse(body).data?.data ?? [])
    .map(({ id }) => id).filter((id) => MODEL_NAME.test(id));
  const talking = names.filter((name) => !EMBEDDING.test(name));
  return [...talking, ...names.filter((name) => EMBEDDING.test(name))];
}
