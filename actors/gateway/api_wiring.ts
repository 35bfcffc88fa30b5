/**
 * The API, from the configuration: its desk among the channels, its server when all is up.
 * @module
 */

import { join } from "node:path";
import { mediaName } from "../../channels/media/media_name.ts";
import { MediaStore } from "../../channels/media/adapters/media_store.ts";
import type { LoadedConfig } from "../config/load_config.ts";
import type { Journal } from "../journal/journal.ts";
import { HttpListener } from "./adapters/http_listener.ts";
import { checkAccess } from "./api/access.ts";
import { Api } from "./api/api_handler.ts";
import { FILE_BYTES_MAX } from "./api/bodies.ts";
import type { Upload } from "./api/chat_request.ts";
import { API_CHANNEL } from "./api/conversations.ts";
import type { LocalChannel } from "./channel_wiring.ts";
import { ExchangeDesk } from "./exchange/exchange_desk.ts";
import type { World } from "./world.ts";

/** The API before anybody can come in. */
export interface WiredApi {
  readonly local: LocalChannel;
  /**
   * Opens it.
   *
   * @param now the configuration as it counts at each moment; edits of section `api` wait for a start
   * @throws {StartError} when the port is taken, or the host no address
   */
  listen(journal: Pick<Journal, "trouble">, now: () => LoadedConfig): Promise<HttpListener>;
}

/**
 * Makes it.
 *
 * @throws {StartError} where strangers could come in
 */
export function wireApi({ config, locations }: LoadedConfig, world: World): WiredApi {
  const { clock, newId } = world;
  checkAccess(config.api);
  const desk = new ExchangeDesk(API_CHANNEL, "programs, by the OpenAI-compatible API");
  const store = new MediaStore(join(locations.mediaFolder, API_CHANNEL), newId);
  const keep = (upload: Upload, { id, index }: { readonly id: string; readonly index: number }) =>
    store.save(nameOf(upload, { id, index }), ReadableStream.from([upload.bytes]), {
      bytesMax: FILE_BYTES_MAX,
    });
  return {
    local: desk.local,
    async listen(journal, now) {
      const { host, port } = config.api;
      const defaults = () => now().config.agents.defaults;
      const isWell = () => journal.trouble === null;
      const api = new Api({
        config: config.api,
        model: () => defaults().model,
        isUnified: () => defaults().unifiedSession,
        desk,
        keep,
        isWell,
        clock,
        newId,
      });
      const place = { host, port, section: "api", path: "/v1" } as const;
      return await HttpListener.open(place, (request) => api.answer(request));
    },
  };
}

function nameOf(
  { name, contentType }: Upload,
  { id: messageId, index }: { readonly id: string; readonly index: number },
): string {
  const kind = contentType.startsWith("image/") ? "image" : "file";
  return mediaName({ messageId, index, kind, key: "", names: [name], contentType });
}
