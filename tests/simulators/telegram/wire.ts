/**
 * Requests and answers of the Bot API on the wire.
 * @module
 */

import type { MethodRequest } from "./methods.ts";
import type { Refusal } from "./refusal.ts";

/** Reads JSON, or a form with files. */
export async function readRequest(request: Request): Promise<MethodRequest> {
  const files = new Map<string, { name: string; bytes: Uint8Array<ArrayBuffer> }>();
  const contentType = request.headers.get("content-type") ?? "";
  if (!contentType.startsWith("multipart/")) {
    const text = await request.text();
    return { fields: text === "" ? {} : JSON.parse(text), files };
  }
  const fields: Record<string, unknown> = {};
  for (const [name, value] of await request.formData()) {
    if (typeof value === "string") fields[name] = asJson(value);
    else files.set(name, { name: value.name, bytes: new Uint8Array(await value.arrayBuffer()) });
  }
  return { fields, files };
}

/** Objects travel as JSON in a form. */
function asJson(value: string): unknown {
  return /^[{[]/.test(value) ? JSON.parse(value) : value;
}

/** The answer that says no. */
export function refused({ code, message, parameters }: Refusal): Response {
  const body = { ok: false, error_code: code, description: message };
  return Response.json(
    parameters === undefined ? body : { ...body, parameters: { ...parameters } },
    { status: code },
  );
}
