/**
 * What a session works with while the configuration may be edited.
 * @module
 */

import { derived, liveView } from "../kernel/live_view.ts";
import type { SessionServices } from "./ports.ts";

const NOTHING: Partial<SessionServices> = {};

/**
 * The services as they are at each moment; a copy (`{...services}`) keeps those of its moment, as a
 * turn wants it.
 *
 * @param own what a session makes of them for itself
 */
export function newestServices(
  services: SessionServices,
  own: (newest: SessionServices) => SessionServices,
): SessionServices {
  const { revised } = services;
  if (revised === undefined) return own(services);
  return liveView(derived(() => revised() ?? NOTHING, (newest) => own({ ...services, ...newest })));
}
