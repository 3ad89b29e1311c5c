/** A text that this browser keeps under a key; `undefined` if there is none, or the browser stores nothing. */
export function readKept(key: string): string | undefined {
  try {
    return localStorage.getItem(key) ?? undefined;
  } catch {
    return undefined;
  }
}

/** Keeps a text under a key, or forgets it. A browser that stores nothing, or no more, forgets it with the page. */
export function keepText(key: string, text: string | undefined): void {
  try {
    if (text === undefined) localStorage.removeItem(key);
    else localStorage.setItem(key, text);
  } catch {
    // Nothing depends on it.
  }
}
