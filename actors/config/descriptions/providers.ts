/**
 * What the keys of section `providers` are for.
 * @module
 */

import type { SettingTexts } from "./setting_text.ts";

/** By the way from the root. */
export const providersTexts: SettingTexts = {
  "providers":
    "Keys and addresses of the model servers ([providers](providers.md)). A name that is not known is an OpenAI-compatible server of your own, if it has an `apiBase`.",
  "providers.<name>": "How this provider is reached.",
  "providers.<name>.apiKey":
    "Its key, best as `${NAME}` from the environment. Local servers need none.",
  "providers.<name>.apiBase": {
    takes: "address or null",
    text:
      "Address of the server, in place of the provider's own: `http://127.0.0.1:8000/v1`. Needed for servers of your own.",
  },
  "providers.<name>.extraHeaders": "Headers that are sent with each request.",
  "providers.<name>.extraQuery": "Parameters of each request's address.",
  "providers.<name>.extraBody": {
    takes: "map, or null",
    text: "Laid over the body of each request; its lists `tools` and `include` are appended.",
  },
  "providers.<name>.displayName": "What a server of your own is called before people.",
  "providers.<name>.apiType":
    "Which of OpenAI's protocols `openai` is asked by; `auto` decides by the model.",
  "providers.<name>.thinkingStyle":
    "The field that switches thinking, for servers of your own. null: what is known of the provider.",
};
