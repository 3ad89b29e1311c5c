import { errors } from "../errors.ts";
import { readSlug, toSlug, withNumber } from "../language/to-slug.ts";

/** Who has a slug. */
export interface SlugHolder {
  id: string;
  title: string;
}

/**
 * The slugs that are taken. A slug is claimed before its snippet is written, in one step, so that of many who ask for
 * it at once one gets it.
 */
export interface Slugs {
  /** Who has this slug, if that is not `except`. */
  clash(slug: string, except?: string): SlugHolder | undefined;
  /**
   * Takes a slug that was given.
   *
   * @throws `SNIPPET_SLUG_INVALID`, `SNIPPET_SLUG_TAKEN`
   */
  claim(given: string, holder: SlugHolder): string;
  /** Takes the first free slug that a text makes: `review`, `review-2`, … */
  claimFor(text: string, holder: SlugHolder): string;
  /** Tells what a holder is called now. */
  rename(slug: string, holder: SlugHolder): void;
  release(slug: string): void;
  /** The id of the snippet with this slug. */
  find(slug: string): string | undefined;
}

/** Makes an empty set of slugs. */
export function createSlugs(): Slugs {
  const holders = new Map<string, SlugHolder>();

  function clash(slug: string, except?: string): SlugHolder | undefined {
    const holder = holders.get(slug);
    return holder?.id === except ? undefined : holder;
  }

  return {
    clash,
    claim(given, holder) {
      const slug = expectSlug(given);
      const other = clash(slug, holder.id);
      if (other) throw errors.SNIPPET_SLUG_TAKEN({ slug, ...other });
      if (!holders.has(slug)) holders.set(slug, holder);
      return slug;
    },
    claimFor(text, holder) {
      const base = toSlug(text);
      let slug = base;
      for (let number = 2; clash(slug, holder.id); number += 1)
        slug = withNumber(base, number);
      holders.set(slug, holder);
      return slug;
    },
    rename(slug, holder) {
      holders.set(slug, holder);
    },
    release(slug) {
      holders.delete(slug);
    },
    find: (slug) => holders.get(slug)?.id,
  };
}

/**
 * A slug that was given, as it is stored.
 *
 * @throws `SNIPPET_SLUG_INVALID`
 */
export function expectSlug(given: string): string {
  const slug = readSlug(given);
  if (slug === undefined) throw errors.SNIPPET_SLUG_INVALID();
  return slug;
}
