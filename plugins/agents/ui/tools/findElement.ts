/** Outputs that are searched; a ref is usually in the newest one. */
const MAX_SEARCHED = 20;

/**
 * Names the element of a page that a tool of a browser is used on, such as `button "Buy"`: its input has a ref, and
 * what the tools gave before says what that is. `undefined` if it has none, or nothing says it.
 *
 * @param outputs What tools gave before, the newest first.
 */
export function findElement(
  input: string,
  outputs: Iterable<string>,
): string | undefined {
  const ref = /"ref":\s*"(e\d{1,9})"/.exec(input)?.[1];
  if (ref === undefined) return undefined;
  // Names are quoted as in JSON, so that no name can pass for the ref behind it.
  const line = new RegExp(
    `^ *- (\\w+(?: "(?:[^"\\\\\n]|\\\\.)*")?)(?: \\[[^\\]\n]*\\])*? \\[ref=${ref}\\]`,
    "m",
  );
  let searched = 0;
  for (const output of outputs) {
    if ((searched += 1) > MAX_SEARCHED) return undefined;
    if (!output.includes(`[ref=${ref}]`)) continue;
    const element = line.exec(output)?.[1];
    if (element !== undefined) return element;
  }
  return undefined;
}
