/**
 * Routes about card entities (CardKit).
 * @module
 */

import { z } from "zod";
import { asList, asNode, asText, type CardNode } from "./card_json.ts";
import { cardChanges, CardEntity } from "./card_entity.ts";
import { parseJsonOrRefuse, parseOrRefuse, Refusal } from "./refusal.ts";
import { data, type Route, type RouteAnswer, type RouteRequest } from "./route.ts";
import type { ChatRoutesOptions } from "./routes_messages.ts";
import { noteText } from "./view.ts";

const BAD_PARAMETER = 10002;
const CREATE_CHARACTERS_MAX = 3_000_000;
const UPDATE_CHARACTERS_MAX = 1_000_000;
const SETTINGS_CHARACTERS_MAX = 100_000;

const operation = {
  sequence: z.number().int(),
  uuid: z.string().min(1).max(64).optional(),
};
const elementTypeSchema = z.enum(["insert_before", "insert_after", "append"]);
const createSchema = z.object({
  type: z.enum(["card_json", "template"]),
  data: z.string().min(1).max(CREATE_CHARACTERS_MAX),
});
const updateSchema = z.object({
  card: z.object({
    type: z.literal("card_json"),
    data: z.string().min(1).max(UPDATE_CHARACTERS_MAX),
  }),
  ...operation,
});
const settingsSchema = z.object({
  settings: z.string().min(1).max(SETTINGS_CHARACTERS_MAX),
  ...operation,
});
const batchSchema = z.object({ actions: z.string().min(1), ...operation });
const contentSchema = z.object({ content: z.string(), ...operation });
const addSchema = z.object({
  type: elementTypeSchema,
  target_element_id: z.string().optional(),
  elements: z.string().min(1),
  ...operation,
});
const replaceSchema = z.object({ element: z.string().min(1), ...operation });
const partialSchema = z.object({ partial_element: z.string().min(1), ...operation });
const removeSchema = z.object(operation);
const actionSchema = z.object({
  action: z.enum([
    "partial_update_setting",
    "add_elements",
    "delete_elements",
    "partial_update_element",
    "update_element",
  ]),
  params: z.record(z.string(), z.unknown()),
});

type Change = (card: CardNode) => CardNode;

/** All of them. */
export function cardRoutes(options: ChatRoutesOptions): Route[] {
  const desk = new CardDesk(options);
  const cards = "/open-apis/cardkit/v1/cards";
  const card = `${cards}/:card_id`;
  const element = `${card}/elements/:element_id`;
  const routes: Route[] = [
    { name: "cardkit.card.create", method: "POST", path: cards, handle: (r) => desk.create(r) },
    { name: "cardkit.card.update", method: "PUT", path: card, handle: (r) => desk.update(r) },
    {
      name: "cardkit.card.settings",
      method: "PATCH",
      path: `${card}/settings`,
      handle: (r) => desk.settings(r),
    },
    {
      name: "cardkit.card.batchUpdate",
      method: "POST",
      path: `${card}/batch_update`,
      handle: (r) => desk.batch(r),
    },
    {
      name: "cardkit.cardElement.content",
      method: "PUT",
      path: `${element}/content`,
      handle: (r) => desk.content(r),
    },
    {
      name: "cardkit.cardElement.create",
      method: "POST",
      path: `${card}/elements`,
      handle: (r) => desk.add(r),
    },
    {
      name: "cardkit.cardElement.update",
      method: "PUT",
      path: element,
      handle: (r) => desk.replace(r),
    },
    {
      name: "cardkit.cardElement.patch",
      method: "PATCH",
      path: element,
      handle: (r) => desk.patch(r),
    },
    {
      name: "cardkit.cardElement.delete",
      method: "DELETE",
      path: element,
      handle: (r) => desk.remove(r),
    },
  ];
  return routes.map((route) => ({ ...route, scopes: ["cardkit:card:write"] }));
}

class CardDesk {
  readonly #options: ChatRoutesOptions;

  constructor(options: ChatRoutesOptions) {
    this.#options = options;
  }

  create({ body }: RouteRequest): RouteAnswer {
    const request = parseOrRefuse(createSchema, body, BAD_PARAMETER);
    if (request.type === "template") throw new Refusal(BAD_PARAMETER, "no templates here");
    const { world, cardRules } = this.#options;
    const cardId = world.newCardId();
    const json = parseNode(request.data, "data");
    world.cards.set(cardId, new CardEntity(cardId, json, cardRules, world.clock.now()));
    return data({ card_id: cardId });
  }

  update(request: RouteRequest): RouteAnswer {
    const body = parseOrRefuse(updateSchema, request.body, BAD_PARAMETER);
    return this.#operate(request, body, () => parseNode(body.card.data, "card.data"));
  }

  settings(request: RouteRequest): RouteAnswer {
    const body = parseOrRefuse(settingsSchema, request.body, BAD_PARAMETER);
    return this.#operate(request, body, settingsChange(parseNode(body.settings, "settings")));
  }

  batch(request: RouteRequest): RouteAnswer {
    const body = parseOrRefuse(batchSchema, request.body, BAD_PARAMETER);
    const actions = parseOrRefuse(
      z.array(actionSchema).min(1),
      parseJsonOrRefuse(body.actions, "actions", BAD_PARAMETER),
      BAD_PARAMETER,
    );
    const changes = actions.map(({ action, params }) => batchChange(action, params));
    return this.#operate(request, body, (card) => {
      return changes.reduce((changed, change) => change(changed), card);
    });
  }

  content(request: RouteRequest): RouteAnswer {
    const body = parseOrRefuse(contentSchema, request.body, BAD_PARAMETER);
    const card = this.#card(request);
    const elementId = request.params["element_id"] ?? "";
    return this.#operate(request, body, card.setContent(elementId, body.content));
  }

  add(request: RouteRequest): RouteAnswer {
    const body = parseOrRefuse(addSchema, request.body, BAD_PARAMETER);
    const elements = parseList(body.elements);
    return this.#operate(
      request,
      body,
      cardChanges.add(body.type, body.target_element_id, elements),
    );
  }

  replace(request: RouteRequest): RouteAnswer {
    const body = parseOrRefuse(replaceSchema, request.body, BAD_PARAMETER);
    const element = parseNode(body.element, "element");
    return this.#operate(request, body, cardChanges.replace(elementIdOf(request), element));
  }

  patch(request: RouteRequest): RouteAnswer {
    const body = parseOrRefuse(partialSchema, request.body, BAD_PARAMETER);
    const fields = parseNode(body.partial_element, "partial_element");
    return this.#operate(request, body, cardChanges.patch(elementIdOf(request), fields));
  }

  remove(request: RouteRequest): RouteAnswer {
    const body = parseOrRefuse(removeSchema, request.body, BAD_PARAMETER);
    return this.#operate(request, body, cardChanges.remove([elementIdOf(request)]));
  }

  #card({ params }: RouteRequest): CardEntity {
    const card = this.#options.world.cards.get(params["card_id"] ?? "");
    if (card === undefined) throw new Refusal(200740, "card does not exist");
    return card;
  }

  #operate(
    request: RouteRequest,
    body: { readonly sequence: number; readonly uuid?: string | undefined },
    change: Change,
  ): RouteAnswer {
    const { world, windows, limits } = this.#options;
    const card = this.#card(request);
    const nowMs = world.clock.now();
    windows.count(`card ${card.cardId}`, nowMs, limits.operationsPerCardPerSecond);
    const { sequence, uuid, ...rest } = body;
    const fingerprint = JSON.stringify([request.params, rest]);
    card.operate({ sequence, uuid, fingerprint }, nowMs, change);
    const message = world.messages.get(card.messageId ?? "");
    if (message !== undefined) noteText(message);
    return data();
  }
}

function elementIdOf({ params }: RouteRequest): string {
  return params["element_id"] ?? "";
}

function parseNode(text: string, what: string): CardNode {
  const node = asNode(parseJsonOrRefuse(text, what, BAD_PARAMETER));
  if (node === undefined) throw new Refusal(BAD_PARAMETER, `${what} is no JSON object`);
  return node;
}

function parseList(text: string): unknown[] {
  const list = parseJsonOrRefuse(text, "elements", BAD_PARAMETER);
  if (!Array.isArray(list)) throw new Refusal(BAD_PARAMETER, "elements is no JSON list");
  return list;
}

function settingsChange(settings: CardNode): Change {
  return cardChanges.settings(asNode(settings["config"]) ?? {});
}

function batchChange(action: z.infer<typeof actionSchema>["action"], params: CardNode): Change {
  const elementId = asText(params["element_id"]);
  switch (action) {
    case "partial_update_setting":
      return settingsChange(asNode(params["settings"]) ?? {});
    case "add_elements": {
      const type = parseOrRefuse(elementTypeSchema, params["type"], BAD_PARAMETER);
      const target = params["target_element_id"];
      const targetId = typeof target === "string" ? target : undefined;
      return cardChanges.add(type, targetId, asList(params["elements"]));
    }
    case "delete_elements":
      return cardChanges.remove(asList(params["element_ids"]).map(String));
    case "partial_update_element":
      return cardChanges.patch(elementId, asNode(params["partial_element"]) ?? {});
    case "update_element":
      return cardChanges.replace(elementId, asNode(params["element"]) ?? {});
  }
}
