/**
 * Short forms of paths, addresses and commands that still say which one is meant, without secrets.
 * @module
 */

const SECRET_NAME =
  "[\\w.-]*(?:token|secret|passw(?:or)?d|passphrase|api[_-]?key|key|credential|auth)[\\w.-]*";
const SECRET_VALUE = `(?:"[^"]*"?|'[^']*'?|[^\\s"'&;|]+)`;
/** `KEY=value`, `"key": "value"`, `X-Api-Key: value`. */
const SECRET_ASSIGNMENT = new RegExp(
  `(${SECRET_NAME}["']?)(\\s*[=:]\\s*)(?!\\*\\*\\*|(?:bearer|basic) )${SECRET_VALUE}`,
  "gi",
);
/** `--token value`, `-password value`. */
const SECRET_OPTION = new RegExp(`(--?${SECRET_NAME})\\s+(?!-)${SECRET_VALUE}`, "gi");

/** How short a path must be, and what `~` stands for. */
export interface PathLimits {
  readonly charsMax: number;
  readonly home?: string | undefined;
}

/** A path with `/` throughout, `~` for home, and `…/` for the folders that have no room. */
export function abbreviatePath(path: string, { charsMax, home }: PathLimits): string {
  const slashed = path.replaceAll("\\", "/");
  const base = home?.replaceAll("\\", "/").replace(/\/+$/, "") ?? "";
  const isInHome = base !== "" && (slashed === base || slashed.startsWith(`${base}/`));
  const whole = isInHome ? `~${slashed.slice(base.length)}` : slashed;
  if (whole.length <= charsMax) return whole;
  const parts = whole.split("/").filter((part) => part !== "");
  const kept: string[] = [];
  for (const part of parts.toReversed()) {
    const isTooLong = [part, ...kept].join("/").length + 2 > charsMax;
    if (kept.length > 0 && isTooLong) break;
    kept.unshift(part);
  }
  const shortened = `…/${kept.join("/")}`;
  return shortened.length <= charsMax
    ? shortened
    : `…${whole.slice(-(charsMax - 1)).toWellFormed()}`;
}

/** An address as domain and last segment, without query, fragment and user; text if it is none. */
export function abbreviateUrl(url: string, charsMax: number): string {
  const parsed = URL.parse(url);
  if (parsed === null || parsed.host === "") return cut(maskSecrets(url), charsMax);
  const path = decodedPath(parsed.pathname);
  const whole = `${parsed.host}${path === "/" ? "" : path}`;
  if (whole.length <= charsMax) return whole;
  const last = path.split("/").findLast((part) => part !== "") ?? "";
  return cut(`${parsed.host}/…/${last}`, charsMax);
}

/** Absolute paths in a command, quoted ones and Windows ones too, each abbreviated. */
export function abbreviatePathsIn(command: string, limits: PathLimits): string {
  return command.replace(
    /(["'])((?:~|[A-Za-z]:)?[\\/][^"']*)\1|(?<![\w:/.=-])((?:~|[A-Za-z]:)?[\\/][^\s"'|&;<>()]+)/g,
    (whole, quote: string | undefined, quoted: string | undefined, bare: string | undefined) => {
      if (quoted !== undefined) return `${quote}${abbreviatePath(quoted, limits)}${quote}`;
      return bare === undefined ? whole : abbreviatePath(bare, limits);
    },
  );
}

/** What `key=value`, `--key value`, headers and well-known prefixes give away becomes `***`. */
export function maskSecrets(text: string): string {
  return text
    .replace(/\b(bearer|basic)\s+[^\s"']+/gi, "$1 ***")
    .replace(SECRET_ASSIGNMENT, "$1$2***")
    .replace(SECRET_OPTION, "$1 ***")
    .replace(/(:\/\/[^\s/:@"']*):[^\s/@"']+@/g, "$1:***@")
    .replace(
      /\b(sk|pk|ghp|gho|ghs|github_pat|xox[abprs]|glpat|AKIA)[-_]?[A-Za-z0-9_-]{12,}/g,
      "$1-***",
    );
}

function decodedPath(path: string): string {
  try {
    return decodeURI(path);
  } catch (error) {
    if (error instanceof URIError) return path;
    throw error;
  }
}

function cut(text: string, charsMax: number): string {
  return text.length <= charsMax ? text : `${text.slice(0, charsMax - 1).toWellFormed()}…`;
}
