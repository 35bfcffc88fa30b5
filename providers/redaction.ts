/**
 * Takes out of a vendor's words what must not stand in a log.
 * @module
 */

/** Longest piece of a vendor's text that is kept. */
const TEXT_CHARS_MAX = 300;

/** Shorter secrets would blot out ordinary words. */
const SECRET_CHARS_MIN = 4;

const KEY_LIKE = /\b(?:sk|pk|rk|gsk|xai|hf|nvapi|key|AIza)[-_][\w*.-]{6,}|\bAIza[\w-]{10,}/g;
/** What vendors leave of a key that they mask themselves. */
const MASKED = /[\w-]*\*{3,}[\w-]*/g;
const BEARER = /\b(bearer|basic)\s+[\w.~+/*=-]+/gi;
const URL_USER = /(\/\/)[^/@\s]+@/g;
const QUERY_VALUE = /([?&](?:api_?key|key|token|secret|signature)=)[^&\s"']+/gi;

/**
 * The text without `secrets` and what looks like one, in one line and cut short. A page of HTML
 * becomes a remark that it is one.
 *
 * @param secrets what is known to be secret: keys, header values
 */
export function redact(text: string, secrets: readonly string[]): string {
  if (/^\s*(?:\d{3}\s+)?<(?:!doctype|html|head|body|\?xml)/i.test(text)) return "an HTML page";
  let clean = text;
  for (const secret of secrets.toSorted((a, b) => b.length - a.length)) {
    if (secret.length >= SECRET_CHARS_MIN) clean = clean.replaceAll(secret, "***");
  }
  clean = clean
    .replace(BEARER, "$1 ***")
    .replace(QUERY_VALUE, "$1***")
    .replace(URL_USER, "$1***@")
    .replace(KEY_LIKE, "***")
    .replace(MASKED, "***")
    .replace(/\s+/g, " ")
    .trim();
  return clean.length > TEXT_CHARS_MAX
    ? `${clean.slice(0, TEXT_CHARS_MAX)}…`.toWellFormed()
    : clean;
}
