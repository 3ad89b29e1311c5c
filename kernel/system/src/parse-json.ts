/** The value of a JSON text, `undefined` for a damaged one. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
