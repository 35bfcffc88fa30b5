/**
 * What MCP servers send, as far as we use it. Parsed leniently: what is odd in one entry of a list
 * costs that entry, what is missing gets a default.
 * @module
 */

import { z } from "zod";
import { isTooDeep, type JsonObject, type JsonValue } from "../../kernel/json.ts";

/** A tool as its server describes it. */
export interface McpToolFacts {
  readonly name: string;
  readonly description: string;
  readonly schema: JsonObject;
  /** Its server says that it changes nothing. */
  readonly isReadOnly: boolean;
}

/** A resource, or a family of them where `uri` holds `{names}`. */
export interface McpResourceFacts {
  readonly name: string;
  readonly description: string;
  readonly uri: string;
}

/** An argument of a prompt. */
export interface McpPromptArgument {
  readonly name: string;
  readonly description: string;
  readonly isRequired: boolean;
}

/** A prompt that a server keeps. */
export interface McpPromptFacts {
  readonly name: string;
  readonly description: string;
  readonly arguments: readonly McpPromptArgument[];
}

/** All that a server offers. */
export interface McpListing {
  readonly tools: readonly McpToolFacts[];
  readonly resources: readonly McpResourceFacts[];
  readonly templates: readonly McpResourceFacts[];
  readonly prompts: readonly McpPromptFacts[];
  /** Entries that could not be understood, or were too many. */
  readonly leftOut: number;
}

/** The text or the bytes of a resource. */
export interface McpResourceBody {
  readonly uri: string;
  readonly mimeType: string;
  readonly text?: string | undefined;
  /** Base64. */
  readonly blob?: string | undefined;
}

/** A piece of an answer. */
export type McpContent =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "image" | "audio"; readonly data: string; readonly mimeType: string }
  | { readonly type: "resource"; readonly resource: McpResourceBody }
  | {
    readonly type: "resource_link";
    readonly uri: string;
    readonly name: string;
    readonly description: string;
  }
  /** A kind that we do not know. */
  | { readonly type: "other"; readonly kind: string };

/** What a use gave. */
export interface McpAnswer {
  readonly content: readonly McpContent[];
  /** The same as data, from tools that say what they return. */
  readonly structured: JsonObject | null;
  readonly isError: boolean;
}

const text = z.string().catch("");
const jsonObject: z.ZodType<JsonObject> = z.record(
  z.string(),
  z.lazy((): z.ZodType<JsonValue> => z.json()),
);
/** What is nested too deep is no schema: reading it would cost the whole list. */
const argumentsSchema = z.unknown().refine((value) => !isTooDeep(value)).pipe(jsonObject);
const named = z.object({ name: z.string().min(1), title: text, description: text });

const tool: z.ZodType<McpToolFacts> = named.extend({
  inputSchema: argumentsSchema.catch({}),
  annotations: z.object({ readOnlyHint: z.boolean().catch(false) }).catch({ readOnlyHint: false }),
}).transform(({ name, title, description, inputSchema, annotations }) => ({
  name,
  description: description === "" ? title : description,
  schema: inputSchema,
  isReadOnly: annotations.readOnlyHint,
}));

const resource: z.ZodType<McpResourceFacts> = named.extend({ uri: z.string().min(1) })
  .transform(({ name, title, description, uri }) => ({
    ...{ name, uri },
    description: description === "" ? title : description,
  }));

const template: z.ZodType<McpResourceFacts> = named.extend({ uriTemplate: z.string().min(1) })
  .transform(({ name, title, description, uriTemplate }) => ({
    ...{ name, uri: uriTemplate },
    description: description === "" ? title : description,
  }));

const promptArgument: z.ZodType<McpPromptArgument> = z.object({
  name: z.string().min(1),
  description: text,
  required: z.boolean().catch(false),
}).transform(({ name, description, required }) => ({ name, description, isRequired: required }));

const prompt: z.ZodType<McpPromptFacts> = named.extend({
  arguments: z.array(promptArgument).catch([]),
}).transform(({ name, title, description, arguments: args }) => ({
  ...{ name, arguments: args },
  description: description === "" ? title : description,
}));

/** The kinds of lists, by the key under which their entries stand. */
export interface McpEntries {
  readonly tools: McpToolFacts;
  readonly resources: McpResourceFacts;
  readonly resourceTemplates: McpResourceFacts;
  readonly prompts: McpPromptFacts;
}

const ENTRIES: { readonly [Key in keyof McpEntries]: z.ZodType<McpEntries[Key]> } = {
  tools: tool,
  resources: resource,
  resourceTemplates: template,
  prompts: prompt,
};

/** Entries of one kind; those that make no sense are counted. */
export function parseEntries<Key extends keyof McpEntries>(
  kind: Key,
  items: readonly unknown[],
): { readonly entries: readonly McpEntries[Key][]; readonly leftOut: number } {
  const schema = ENTRIES[kind];
  const entries = items.flatMap((item) => {
    const { data } = schema.safeParse(item);
    return data === undefined ? [] : [data];
  });
  return { entries, leftOut: items.length - entries.length };
}

const body: z.ZodType<McpResourceBody> = z.object({
  uri: text,
  mimeType: text,
  text: z.string().optional(),
  blob: z.string().optional(),
});

const content: z.ZodType<McpContent> = z.union([
  z.object({ type: z.literal("text"), text: z.string() }),
  z.object({ type: z.enum(["image", "audio"]), data: z.string(), mimeType: text }),
  z.object({ type: z.literal("resource"), resource: body }),
  z.object({ type: z.literal("resource_link"), uri: text, name: text, description: text }),
  z.unknown().transform((value) => ({ type: "other" as const, kind: kindOf(value) })),
]);

/** What `tools/call` answers. */
export const toolAnswer: z.ZodType<McpAnswer> = z.object({
  content: z.array(content).catch([]),
  structuredContent: jsonObject.nullable().catch(null),
  isError: z.boolean().catch(false),
}).transform(({ content, structuredContent, isError }) => ({
  ...{ content, isError },
  structured: structuredContent,
}));

/** What `resources/read` answers. */
export const resourceAnswer: z.ZodType<McpAnswer> = z.object({ contents: z.array(body) })
  .transform(({ contents }) => ({
    content: contents.map((resource) => ({ type: "resource" as const, resource })),
    structured: null,
    isError: false,
  }));

/** What `prompts/get` answers. */
export const promptAnswer: z.ZodType<McpAnswer> = z.object({
  messages: z.array(z.object({ role: text, content })),
}).transform(({ messages }) => ({
  content: messages.flatMap(({ role, content }): McpContent[] => [
    { type: "text", text: `[${role === "" ? "message" : role}]` },
    content,
  ]),
  structured: null,
  isError: false,
}));

/** One page of a list. */
export interface McpPage {
  readonly items: readonly unknown[];
  readonly nextCursor: string | undefined;
}

/** A page whose entries stand under `kind`. */
export function pageOf(kind: keyof McpEntries): z.ZodType<McpPage> {
  return z.looseObject({ nextCursor: z.string().optional().catch(undefined) })
    .transform((page) => {
      const { [kind]: items, nextCursor } = page;
      return { items: Array.isArray(items) ? items : [], nextCursor };
    });
}

function kindOf(value: unknown): string {
  const { data } = z.object({ type: z.string() }).safeParse(value);
  return data?.type.slice(0, 40) ?? "nothing known";
}
