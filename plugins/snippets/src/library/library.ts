import { createIdentifier } from "@gantry/plugin";
import type { Collection, Page, Store } from "@gantry/plugin";
import { SnippetChanged, SnippetCreated, SnippetDeleted } from "../contract.ts";
import type { Snippet } from "../contract.ts";
import { errors } from "../errors.ts";
import { MAX_TITLE_LENGTH, toTitle } from "../language/to-title.ts";
import type { SnippetQuery } from "./catalog.ts";
import { createLoadedCatalog } from "./loaded-catalog.ts";
import type { LoadedCatalog } from "./loaded-catalog.ts";
import { readNewest } from "./read-newest.ts";
import { createSlugs } from "./slugs.ts";
import type { SlugHolder, Slugs } from "./slugs.ts";
import type { NewSnippet, SnippetChange } from "./snippet-input.ts";
import { snippetCollection, toBrief } from "./snippet-record.ts";
import { carryPlaceholders, toPlaceholders } from "./to-placeholders.ts";

/** The saved snippets. Every change is in one batch with its event. */
export class Library {
  readonly #snippets: Collection<Snippet>;
  readonly #catalog: LoadedCatalog;
  readonly #slugs: Slugs = createSlugs((slug) => this.#find(slug));

  /** Opens the snippets in a plugin's store. Nothing is read yet. */
  constructor(store: Store) {
    this.#snippets = store.collection(snippetCollection);
    this.#catalog = createLoadedCatalog(this.#snippets);
  }

  /** Those that a query finds, newest first. The first search by words or by a tag reads all snippets. */
  async list(query: SnippetQuery): Promise<Page<Snippet>> {
    if (!query.q?.trim() && query.tag === undefined)
      return await readNewest(this.#snippets, query);
    const catalog = await this.#catalog.open();
    const { items, nextCursor } = await catalog.find(query, (id) =>
      this.#snippets.get(id),
    );
    const found = await Promise.all(items.map((id) => this.#snippets.get(id)));
    return {
      items: found.filter((snippet) => snippet !== undefined),
      nextCursor,
    };
  }

  /** @throws `SNIPPET_NOT_FOUND` */
  async get(id: string): Promise<Snippet> {
    const snippet = await this.#snippets.get(id);
    if (!snippet) throw errors.SNIPPET_NOT_FOUND({ id });
    return snippet;
  }

  /** The snippet with a slug. */
  withSlug(slug: string): Promise<Snippet | undefined> {
    return this.#find(slug);
  }

  /** The snippet that has this slug, unless its id is `except`. */
  clash(slug: string, except?: string): Promise<SlugHolder | undefined> {
    return this.#slugs.clash(slug, except);
  }

  /** @throws `SNIPPET_SLUG_INVALID`, `SNIPPET_SLUG_TAKEN`, and what {@link toPlaceholders} refuses */
  async create(input: NewSnippet): Promise<Snippet> {
    const placeholders = toPlaceholders(input.body, input.placeholders);
    const title = input.title ?? (toTitle(input.body) || "Snippet");
    const id = createIdentifier("snp");
    const slug =
      input.slug === undefined
        ? await this.#slugs.claimFor(title, { id, title })
        : await this.#slugs.claim(input.slug, { id, title });
    const { kind, tags, body } = input;
    const description = input.description || null;
    const fields = { id, slug, kind, title, description, tags, body };
    try {
      const snippet = await this.#snippets.insert(
        { ...fields, placeholders },
        { events: [SnippetCreated.of(id, toBrief(fields))] },
      );
      this.#catalog.put(snippet);
      return snippet;
    } finally {
      this.#slugs.release(slug);
    }
  }

  /** A new snippet with the body, kind and tags of this one. @throws `SNIPPET_NOT_FOUND` */
  async duplicate(id: string): Promise<Snippet> {
    const { kind, title, tags, body, placeholders } = await this.get(id);
    const end = " (copy)";
    const start = title
      .slice(0, MAX_TITLE_LENGTH - end.length)
      .replace(/[\ud800-\udbff]$/, "");
    return await this.create({
      kind,
      title: start + end,
      tags,
      body,
      placeholders,
    });
  }

  /** @throws `SNIPPET_NOT_FOUND`, `STALE_REVISION`, and as {@link create} */
  async change(
    id: string,
    change: SnippetChange,
    revision?: number,
  ): Promise<Snippet> {
    let before: Snippet | undefined;
    let claimed: string | undefined;
    try {
      const snippet = await this.#snippets.update(
        id,
        async (current) => {
          before = current;
          const next = toChanged(current, change);
          if (change.slug !== undefined) {
            const { title } = next;
            claimed = await this.#slugs.claim(change.slug, { id, title });
            next.slug = claimed;
          }
          if (isEqual(current, next)) return undefined;
          return {
            record: next,
            events: [SnippetChanged.of(id, toBrief(next))],
          };
        },
        { revision },
      );
      if (!snippet || !before) throw errors.SNIPPET_NOT_FOUND({ id });
      if (snippet.slug !== before.slug) this.#slugs.vacated();
      this.#catalog.put(snippet);
      return snippet;
    } finally {
      if (claimed !== undefined) this.#slugs.release(claimed);
    }
  }

  /** @throws `SNIPPET_NOT_FOUND`, `STALE_REVISION` */
  async remove(id: string, revision?: number): Promise<void> {
    const { slug, kind, title } = await this.get(id);
    const removed = await this.#snippets.remove(id, {
      revision,
      events: [SnippetDeleted.of(id, { slug, kind, title })],
    });
    if (!removed) throw errors.SNIPPET_NOT_FOUND({ id });
    this.#slugs.vacated();
    this.#catalog.drop(id);
  }

  async #find(slug: string): Promise<Snippet | undefined> {
    const query = { index: "slug", prefix: [slug], limit: 1 } as const;
    return (await this.#snippets.list(query)).items[0];
  }
}

function toChanged(
  current: Snippet,
  { placeholders, slug: _slug, ...change }: SnippetChange,
): Snippet {
  const next = { ...current, ...change };
  next.description ||= null;
  if (placeholders !== undefined)
    next.placeholders = toPlaceholders(next.body, placeholders);
  else if (change.body !== undefined)
    next.placeholders = carryPlaceholders(next.body, current.placeholders);
  return next;
}

function isEqual(one: Snippet, other: Snippet): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
