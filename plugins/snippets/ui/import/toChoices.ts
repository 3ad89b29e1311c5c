import type { Conversion } from "../../src/language/suggest-conversions.ts";

/** A blank that a raw prompt seems to have, with every place where it stands. */
export interface Choice {
  /** As it stands in the prompt, such as `[YOUR NAME]`. */
  text: string;
  /** The placeholder that it would be. */
  name: string;
  reserved: boolean;
  places: readonly Conversion[];
}

/** Puts together what is the same, in the order of the prompt. */
export function toChoices(conversions: readonly Conversion[]): Choice[] {
  const choices = new Map<string, Choice & { places: Conversion[] }>();
  for (const conversion of conversions) {
    const { text, name, reserved } = conversion;
    const known = choices.get(text);
    if (known) known.places.push(conversion);
    else choices.set(text, { text, name, reserved, places: [conversion] });
  }
  return [...choices.values()];
}
