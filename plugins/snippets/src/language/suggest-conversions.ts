import { isReservedName, MAX_NAME_LENGTH } from "./grammar.ts";
import { scanBody } from "./scan-body.ts";

/** A piece of a raw prompt that could be a placeholder. */
export interface Conversion {
  from: number;
  to: number;
  /** What stands there now, such as `[YOUR NAME]`. */
  text: string;
  /** The name that it would have, such as `your_name`. */
  name: string;
  /** Whether that name is filled from the target and not asked for. */
  reserved: boolean;
}

/** Words that are written in capitals without meaning a blank to fill. */
const COMMON_WORDS = new Set(
  "ALWAYS ASCII AUTHORS BREAKING CHANGE CHANGELOG CODEOWNERS CONTRIBUTING CORS CRUD CSRF DELETE DONE FIXME HEAD HTML HTTP HTTPS IMPORTANT INFO INSERT JSON JSONL JPEG LICENSE MUST NEVER NOTE NOTES NULL ONLY OPTIONS PATCH POSIX POST README REST SECURITY SELECT SHALL SHOULD STEP TODO TOML TRUE FALSE UPDATE UTF8 UUID WARN WARNING WHERE WITHIN XHTML YAML".split(
    " ",
  ),
);

/**
 * Brackets of one line that hold no brackets, and are neither the text of a link, a footnote, a check box nor an index;
 * or words in capitals. Each alternative is bounded, so that time grows with the text.
 */
const CANDIDATE =
  /(?<![\w\])!])\[[^[\]\n\r]{2,80}\](?![([:])|(?<![\p{L}\p{N}_$./\\{-])[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)*(?![\p{L}\p{N}_]|\.\w|[/(=])/gu;

/** Finds what looks like a blank to fill in a raw prompt, in its order. What is a placeholder already is left alone. */
export function suggestConversions(text: string): Conversion[] {
  const conversions: Conversion[] = [];
  const parts = scanBody(text).parts;
  let index = 0;
  for (const match of text.matchAll(CANDIDATE)) {
    const [found] = match;
    const from = match.index;
    const to = from + found.length;
    // Both come in the order of the text, so each part is passed once.
    while ((parts[index]?.to ?? to) <= from) index += 1;
    const part = parts[index];
    const name = toName(found);
    if (part?.kind !== "text" || part.to < to) continue;
    if (name === undefined || !isBlank(found)) continue;
    const reserved = isReservedName(name);
    conversions.push({ from, to, text: found, name, reserved });
  }
  return conversions;
}

/**
 * Puts placeholders where the chosen conversions are. Those that do not fit the text any more are passed over.
 *
 * @param write Writes what is between them: as it is unless said.
 */
export function applyConversions(
  text: string,
  chosen: readonly Pick<Conversion, "from" | "to" | "text" | "name">[],
  write: (between: string) => string = (between) => between,
): string {
  let body = "";
  let end = 0;
  for (const { from, to, text: found, name } of [...chosen].sort(
    (one, other) => one.from - other.from,
  )) {
    if (from < end || text.slice(from, to) !== found) continue;
    body += `${write(text.slice(end, from))}{{${name}}}`;
    end = to;
  }
  return body + write(text.slice(end));
}

function isBlank(found: string): boolean {
  if (found.startsWith("[")) return /\p{L}{2}/u.test(found);
  return found.includes("_")
    ? /[A-Z]{2}/.test(found)
    : found.length >= 4 && !COMMON_WORDS.has(found);
}

/** `[Your Name]` → `your_name`; `undefined` if nothing is left of it. */
function toName(found: string): string | undefined {
  const words = found
    .normalize("NFKD")
    .replace(/\p{M}+/gu, "")
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "_")
    .replace(/^_+|_+$/g, "");
  if (words === "") return undefined;
  const name = /^[0-9]/.test(words) ? `_${words}` : words;
  return name.slice(0, MAX_NAME_LENGTH).replace(/_+$/, "");
}
