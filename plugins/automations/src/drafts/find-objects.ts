/** Tries to read an object somewhere in a text; a text that is all braces is not worth more. */
const MAX_TRIES = 200;

/**
 * Finds the JSON objects in what an agent said: bare or in a fenced block, with words before and after. Objects inside
 * of one that was found are not looked for.
 */
export function findObjects(text: string): Record<string, unknown>[] {
  const found: Record<string, unknown>[] = [];
  let from = text.indexOf("{");
  for (let tries = 0; from >= 0 && tries < MAX_TRIES; tries++) {
    const end = endOfObject(text, from);
    const value = end === -1 ? undefined : parse(text.slice(from, end));
    if (value) found.push(value);
    from = text.indexOf("{", value ? end : from + 1);
  }
  return found;
}

/** Where the object that begins at `start` ends, -1 if it does not. */
function endOfObject(text: string, start: number): number {
  let depth = 0;
  let inString = false;
  for (let index = start; index < text.length; index++) {
    const char = text[index];
    if (inString) {
      if (char === "\\") index++;
      else if (char === '"') inString = false;
      // A string of JSON ends on its line, so this is a quotation mark of the words before.
      else if (char === "\n") return -1;
    } else if (char === '"') inString = true;
    else if (char === "{") depth++;
    else if (char === "}" && --depth === 0) return index + 1;
  }
  return -1;
}

function parse(text: string): Record<string, unknown> | undefined {
  try {
    return JSON.parse(text) as Record<string, unknown>;
  } catch {
    return undefined;
  }
}
