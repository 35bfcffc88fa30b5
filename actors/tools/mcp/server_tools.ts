/**
 * What a server offers, as tools of ours.
 * @module
 */

import { asJson, type JsonObject, type JsonValue } from "../../kernel/json.ts";
import { defineForeignTool } from "../foreign_tool.ts";
import type { Tool, ToolContext, ToolNeeds, ToolResult } from "../tool.ts";
import { neutralise } from "../untrusted.ts";
import type { McpUse } from "./connection.ts";
import { withPlainNames } from "./plain_arguments.ts";
import { checkedSchema, shownSchema } from "./shown_schema.ts";
import { toolNames } from "./tool_names.ts";
import type { McpListing, McpPromptFacts, McpResourceFacts, McpToolFacts } from "./wire.ts";

/** Tools of one server that models see: each costs a part of every request. */
export const TOOLS_MAX = 100;
const DESCRIPTION_CHARS_MAX = 1_200;

/** What the tools of a server are made with. */
export interface ServerToolsOptions {
  readonly server: string;
  readonly prefix: string;
  /** Prefixes of the other servers. */
  readonly others: readonly string[];
  /** Names as the server has them, or as models do; `*` is all. */
  readonly enabledTools: readonly string[];
  readonly needs: ToolNeeds;
  /** Longest run of a call, progress or not. */
  readonly timeoutMs: number;
  readonly use: (use: McpUse, isReadOnly: boolean, context: ToolContext) => Promise<ToolResult>;
}

/** The tools, and what is to be said about those that are not there. */
export interface ServerTools {
  readonly tools: readonly Tool[];
  readonly notes: readonly string[];
}

/** Something that a server offers, before it has its name. */
interface Offer {
  /** What `enabledTools` may call it. */
  readonly raw: string;
  readonly description: string;
  readonly schema: JsonObject;
  readonly isReadOnly: boolean;
  readonly use: (args: JsonObject) => McpUse;
}

/** Makes the tools: tools, resources, prompts, in the server's order, as far as they are enabled. */
export function serverTools(listing: McpListing, options: ServerToolsOptions): ServerTools {
  const { prefix, others, enabledTools } = options;
  const offers = offersOf(listing);
  const names = toolNames(offers.map((offer) => ({ key: offer, raw: offer.raw })), {
    ...{ prefix, others },
  });
  const wanted = new Set(enabledTools);
  const isWanted = ({ raw }: Offer, name: string) =>
    wanted.has("*") || wanted.has(raw) || wanted.has(name);
  const chosen = offers.flatMap((offer) => {
    const name = names.get(offer);
    return name === undefined || !isWanted(offer, name) ? [] : [{ name, offer }];
  });
  const known = new Set([...offers.map(({ raw }) => raw), ...names.values(), "*"]);
  const unknown = enabledTools.filter((name) => !known.has(name));
  const shown = chosen.slice(0, TOOLS_MAX);
  return {
    tools: shown.map(({ name, offer }) => toolOf(name, offer, options)),
    notes: [
      ...(unknown.length === 0 ? [] : [
        `enabledTools names ${unknown.join(", ")}, which it does not offer ` +
        `(it offers ${offers.map(({ raw }) => raw).slice(0, 50).join(", ") || "nothing"})`,
      ]),
      ...(chosen.length === shown.length ? [] : [
        `${chosen.length - shown.length} of ${chosen.length} tools are left out: ` +
        `choose up to ${TOOLS_MAX} by enabledTools`,
      ]),
      ...(listing.leftOut === 0 ? [] : [`${listing.leftOut} entries of its lists make no sense`]),
    ],
  };
}

/** One for each name: of two tools that are called alike the server itself could run but one. */
function offersOf({ tools, resources, templates, prompts }: McpListing): Offer[] {
  const offers = [
    ...tools.map(toolOffer),
    ...resources.map(resourceOffer),
    ...templates.map(templateOffer),
    ...prompts.map(promptOffer),
  ];
  const seen = new Set<string>();
  return offers.filter(({ raw }) => {
    if (seen.has(raw)) return false;
    seen.add(raw);
    return true;
  });
}

function toolOffer({ name, description, schema, isReadOnly }: McpToolFacts): Offer {
  return {
    ...{ raw: name, description, schema, isReadOnly },
    use: (args) => ({ type: "tool", name, args }),
  };
}

function resourceOffer({ name, description, uri }: McpResourceFacts): Offer {
  return {
    raw: `resource_${name}`,
    description: `Reads the resource ${uri}. ${description}`,
    schema: objectSchema([]),
    isReadOnly: true,
    use: () => ({ type: "resource", uri }),
  };
}

/** A family of resources: the names in its address are the arguments. */
function templateOffer({ name, description, uri }: McpResourceFacts): Offer {
  const names = [...uri.matchAll(TEMPLATE_NAME)].flatMap(([, , list = ""]) => namesIn(list));
  return {
    raw: `resource_${name}`,
    description: `Reads a resource ${uri}. ${description}`,
    schema: objectSchema(
      names.map((name) => ({ name, description: "", isRequired: true })),
    ),
    isReadOnly: true,
    use: (args) => ({ type: "resource", uri: filledIn(uri, args) }),
  };
}

function promptOffer({ name, description, arguments: args }: McpPromptFacts): Offer {
  return {
    raw: `prompt_${name}`,
    description: `Gives the prompt "${name}" of the server, to read. ${description}`,
    schema: objectSchema(args),
    isReadOnly: true,
    use: (given) => ({
      type: "prompt",
      name,
      args: Object.fromEntries(Object.entries(given).map(([key, value]) => [key, plain(value)])),
    }),
  };
}

/** `{path}`, `{+path}`, `{?a,b}`: RFC 6570, as far as servers use it. */
const TEMPLATE_NAME = /\{([+#./;?&]?)([^{}]*)\}/g;

function namesIn(list: string): string[] {
  return list.split(",").map((name) => name.replace(/(\*|:\d+)$/, "").trim()).filter(Boolean);
}

function filledIn(template: string, args: JsonObject): string {
  return template.replaceAll(TEMPLATE_NAME, (_, operator: string, list: string) => {
    const names = namesIn(list);
    const isOpen = operator === "+" || operator === "#";
    const values = names.map((name) => {
      const text = plain(args[name] ?? "");
      return isOpen ? encodeURI(text) : encodeURIComponent(text);
    });
    if (operator === "?" || operator === "&") {
      return operator + names.map((name, at) => `${name}=${values[at] ?? ""}`).join("&");
    }
    const before = operator === "+" ? "" : operator;
    return before + values.join(operator === "/" || operator === "." ? operator : ",");
  });
}

function objectSchema(
  args: readonly {
    readonly name: string;
    readonly description: string;
    readonly isRequired: boolean;
  }[],
): JsonObject {
  return asJson({
    type: "object",
    properties: Object.fromEntries(
      args.map(({ name, description }) => [name, {
        type: "string",
        ...(description !== "" && { description }),
      }]),
    ),
    required: args.filter(({ isRequired }) => isRequired).map(({ name }) => name),
  });
}

function toolOf(name: string, offer: Offer, options: ServerToolsOptions): Tool {
  const { server, needs, timeoutMs, use } = options;
  const { shown, rawNames } = withPlainNames(shownSchema(offer.schema, neutralise));
  const tool = defineForeignTool({
    ...{ name, needs, timeoutMs, shown },
    description: described(offer.description, server),
    schema: checkedSchema(offer.schema),
    concurrency: offer.isReadOnly ? "shared" : "exclusive",
    run: (args, context) => use(offer.use(args), offer.isReadOnly, context),
  });
  if (rawNames.size === 0) return tool;
  return {
    ...tool,
    call(args, context) {
      const entries = Object.entries(args);
      const raw = entries.map(([key, value]) => [rawNames.get(key) ?? key, value] as const);
      return tool.call(Object.fromEntries(raw), context);
    },
  };
}

/** Descriptions are a server's words in every request: bounded, and named as the server's. */
function described(description: string, server: string): string {
  const text = neutralise(description).trim();
  const kept = text.length <= DESCRIPTION_CHARS_MAX
    ? text
    : `${text.slice(0, DESCRIPTION_CHARS_MAX)}…`;
  return `Tool of the MCP server "${neutralise(server)}", which describes it so: ${
    kept === "" ? "(nothing)" : kept
  }`;
}

function plain(value: JsonValue): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}
