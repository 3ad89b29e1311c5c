/** What a snippet is ranked by. */
interface Ranked {
  slug: string;
  title: string;
}

/** Puts those first whose slug or title is what was typed, or begins with it; the others stay in their order. */
export function rankSnippets<Item extends Ranked>(
  items: readonly Item[],
  query: string,
): Item[] {
  const wished = query.toLowerCase();
  if (wished === "") return [...items];
  const rank = ({ slug, title }: Ranked) => {
    if (slug === wished) return 0;
    if (slug.startsWith(wished)) return 1;
    if (title.toLowerCase().startsWith(wished)) return 2;
    if (slug.includes(wished)) return 3;
    return title.toLowerCase().includes(wished) ? 4 : 5;
  };
  return items.toSorted((one, other) => rank(one) - rank(other));
}
