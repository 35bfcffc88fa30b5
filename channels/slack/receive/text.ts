/**
 * The text of received messages: Slack's spelling of people, channels and addresses, as words.
 * @module
 */

/** `<@U1>`, `<@U1|ann>`, `<#C1|general>`, `<!here>`, `<!subteam^S1|@team>`, `<https://a|words>`. */
const TOKEN = /<([@#!]?)([^<>|\n]+)(?:\|([^<>\n]*))?>/g;
const USER_ID = /^[UW][A-Z0-9]+$/;

/** People that a text names by their ids alone. */
export function peopleIn(text: string): readonly string[] {
  const people = [...text.matchAll(TOKEN)]
    .filter(([, sign, id = ""]) => sign === "@" && USER_ID.test(id)).map(([, , id = ""]) => id);
  return [...new Set(people)];
}

/** Whether a text holds anything in Slack's own spelling. */
export function isTooTelling(text: string): boolean {
  return text.search(TOKEN) >= 0;
}

/**
 * The text as people read it.
 *
 * @param nameOf a person's name; "" where nobody knows
 */
export function readableText(text: string, nameOf: (userId: string) => string): string {
  const words = text.replace(
    TOKEN,
    (whole: string, sign: string, id: string, label: string | undefined) => {
      switch (sign) {
        case "@":
          return called(id, label ?? nameOf(id));
        case "#":
          return label === undefined || label === "" ? `#${id}` : `#${label} (${id})`;
        case "!":
          return label ?? (/^date\^/.test(id) ? whole : `@${id.split("^")[0] ?? id}`);
        default:
          return label === undefined || label === id || `mailto:${label}` === id ||
              id.endsWith(`//${label}`)
            ? id.replace(/^mailto:/, "")
            : `${label} (${id})`;
      }
    },
  );
  return words.replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&amp;", "&");
}

/** In the spelling in which the model can call them. */
function called(userId: string, name: string): string {
  const clean = name.replace(/[@()<>\n]/g, "").trim();
  return clean === "" ? `@${userId}` : `@${clean} (${userId})`;
}
