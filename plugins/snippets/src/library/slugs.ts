import { createKeyedLock } from "@gantry/plugin";
import { errors } from "../errors.ts";
import { readSlug, toSlug, withNumber } from "../language/to-slug.ts";

/** The snippet that has a slug. */
export interface SlugHolder {
  id: string;
  title: string;
}

/** Finds the stored snippet that has a slug. */
export type FindHolder = (slug: string) => Promise<SlugHolder | undefined>;

/**
 * The slugs that are taken: those of stored snippets, and those that are claimed for a snippet that is about to be written.
 * Each slug is claimed by one caller at a time, so that of several that ask for it at once only one gets it.
 */
export interface Slugs {
  /** The snippet that has a slug, unless its id is `except`. */
  clash(slug: string, except?: string): Promise<SlugHolder | undefined>;
  /**
   * Claims a given slug, until it is released. One that the snippet already has is its own.
   *
   * @throws `SNIPPET_SLUG_INVALID`, `SNIPPET_SLUG_TAKEN`
   */
  claim(given: string, holder: SlugHolder): Promise<string>;
  /** Claims the first free slug that a text makes: `review`, `review-2`, … */
  claimFor(text: string, holder: SlugHolder): Promise<string>;
  /** Ends a claim: the snippet is stored with the slug, or could not be written. */
  release(slug: string): void;
  /** To be called when a stored snippet no longer has its slug. */
  vacated(): void;
}

/** Creates the slugs of a store without claims. */
export function createSlugs(find: FindHolder): Slugs {
  const claims = new Map<string, SlugHolder>();
  const lock = createKeyedLock();
  /**
   * By base, the last number up to which all slugs were taken. Without it, many snippets with one title would each try the
   * numbers of all others.
   */
  const lastTaken = new Map<string, number>();

  async function clash(
    slug: string,
    except?: string,
  ): Promise<SlugHolder | undefined> {
    const holder = claims.get(slug) ?? (await find(slug));
    return holder?.id === except ? undefined : holder;
  }

  /** Claims a slug, and returns the other snippet that has it instead if there is one. */
  const tryClaim = (slug: string, holder: SlugHolder) =>
    // Between the look and the claim another caller could claim it.
    lock.run(slug, async () => {
      const other = await clash(slug, holder.id);
      if (!other) claims.set(slug, holder);
      return other;
    });

  return {
    clash,
    async claim(given, holder) {
      const slug = expectSlug(given);
      const other = await tryClaim(slug, holder);
      if (other) throw errors.SNIPPET_SLUG_TAKEN({ slug, ...other });
      return slug;
    },
    async claimFor(text, holder) {
      const base = toSlug(text);
      let areAllStored = true;
      for (let number = (lastTaken.get(base) ?? 0) + 1; ; number += 1) {
        const slug = number === 1 ? base : withNumber(base, number);
        if (!(await tryClaim(slug, holder))) return slug;
        // A claim may be released without a snippet; a stored slug is taken until it is vacated.
        areAllStored &&= !claims.has(slug);
        if (areAllStored) lastTaken.set(base, number);
      }
    },
    release: (slug) => void claims.delete(slug),
    vacated: () => lastTaken.clear(),
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
