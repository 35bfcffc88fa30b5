/**
 * How one platform spells Markdown: what its signs do there, and how a sign stands for itself.
 * @module
 */

/** A platform's Markdown. */
export interface Dialect {
  /** A sign that would act, spelled so that it shows. */
  sign(character: string): string;
  /** Running text: what acts in it is meant to. */
  running(text: string): string;
  /** Text in which no sign acts. */
  literal(text: string): string;
  /** The address by which the platform shows a picture; null: it becomes a link, or a word. */
  picture(href: string): string | null;
  /** Between two lines of one paragraph. */
  readonly lineEnd: string;
  /** What is never cut in two; without groups that capture. */
  readonly atoms: RegExp;
}

/** A piece of a paragraph that begins where no line began: its first sign stays a sign. */
export function guardedStart(piece: string, { sign }: Pick<Dialect, "sign">): string {
  const numbered = /^(\d{1,9})([.)])(?=\s|$)/.exec(piece);
  if (numbered !== null) {
    const [whole, digits = "", mark = ""] = numbered;
    return digits + sign(mark) + piece.slice(whole.length);
  }
  const mark =
    /^(?:[-+](?=\s|$)|-(?=[-:| \t]*(?:\n|$))|:(?=[:| \t]*-[-:| \t]*(?:\n|$))|#(?=#{0,5}(?:\s|$))|>|=(?==*[ \t]*(?:\n|$)))/
      .exec(
        piece,
      )?.[0];
  return mark === undefined ? piece : sign(mark) + piece.slice(mark.length);
}

/** Lines in which nothing is a mark. */
export function literalLines(text: string, dialect: Dialect): string {
  return text.split("\n")
    .map((line) => guardedStart(dialect.literal(line.trim()), dialect).replace(/^\|/, dialect.sign))
    .join(dialect.lineEnd);
}
