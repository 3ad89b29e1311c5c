const length = 12;
const group = 4;

/** What was typed or pasted as a code: letters and digits in capitals, no more than a code has. */
export function toCode(text: string): string {
  return text
    .toUpperCase()
    .replace(/[^A-Z0-9]/g, "")
    .slice(0, length);
}

/** A code as people read it: `XXXX-XXXX-XXXX`. */
export function toGroups(code: string): string {
  return code.match(new RegExp(`.{1,${group}}`, "g"))?.join("-") ?? "";
}

/** Tells whether all of a code is there. */
export function isWhole(code: string): boolean {
  return code.length === length;
}

/** The code in the fragment of a pairing link, which no server ever sees. Takes the link, or its fragment alone. */
export function readLinkCode(link: string): string | undefined {
  const fragment = link.trim().replace(/^[^#]*#/, "");
  return new URLSearchParams(fragment).get("code") ?? undefined;
}
