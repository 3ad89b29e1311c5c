import { createIdentifier } from "@gantry/plugin";
import type { Collection, Page, Store } from "@gantry/plugin";
import { SnippetChanged, SnippetCreated, SnippetDeleted } from "../contract.ts";
import type { Snippet } from "../contract.ts";
import { errors } from "../errors.ts";
import { MAX_TITLE_LENGTH, toTitle } from "../language/to-title.ts";
import { createCatalog } from "./catalog.ts";
import type { Catalog, SnippetQuery } from "./catalog.ts";
import { createSlugs } from "./slugs.ts";
import type { SlugHolder, Slugs } from "./slugs.ts";
import type { NewSnippet, SnippetChange } from "./snippet-input.ts";
import { snippetCollection, toBrief } from "./snippet-record.ts";
import { carryPlaceholders, toPlaceholders } from "./to-placeholders.ts";

const PAGE = 500;

/** The saved snippets. Every change is in one batch with its event. */
export class Library {
  readonly #snippets: Collection<Snippet>;
  readonly #catalog: Catalog = createCatalog();
  readonly #slugs: Slugs = createSlugs();

  private constructor(snippets: Collection<Snippet>) {
    this.#snippets = snippets;
  }

  /** Opens the snippets in a plugin's store, and learns what there is. */
  static async open(store: Store): Promise<Library> {
    const library = new Library(store.collection(snippetCollection));
    let cursor: string | undefined;
    do {
      const page = await library.#snippets.list({ limit: PAGE, cursor });
      for (const snippet of page.items) library.#learn(snippet);
      cursor = page.nextCursor ?? undefined;
    } while (cursor !== undefined);
    return library;
  }

  /** Those that a query finds, newest first. */
  async list(query: SnippetQuery): Promise<Page<Snippet>> {
    const { items, nextCursor } = await this.#catalog.find(query, (id) =>
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
  async withSlug(slug: string): Promise<Snippet | undefined> {
    const id = this.#slugs.find(slug);
    return id === undefined ? undefined : await this.#snippets.get(id);
  }

  /** Who has this slug, if that is not `except`. */
  clash(slug: string, except?: string): SlugHolder | undefined {
    return this.#slugs.clash(slug, except);
  }

  /** @throws `SNIPPET_SLUG_INVALID`, `SNIPPET_SLUG_TAKEN`, and what {@link toPlaceholders} refuses */
  async create(input: NewSnippet): Promise<Snippet> {
    const placeholders = toPlaceholders(input.body, input.placeholders);
    const title = input.title ?? (toTitle(input.body) || "Snippet");
    const id = createIdentifier("snp");
    const slug =
      input.slug === undefined
        ? this.#slugs.claimFor(title, { id, title })
        : this.#slugs.claim(input.slug, { id, title });
    const { kind, tags, body } = input;
    const description = input.description || null;
    const fields = { id, slug, kind, title, description, tags, body };
    try {
      const snippet = await this.#snippets.insert(
        { ...fields, placeholders },
        { events: [SnippetCreated.of(id, toBrief(fields))] },
      );
      this.#learn(snippet);
      return snippet;
    } catch (error) {
      this.#slugs.release(slug);
      throw error;
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
        (current) => {
          before = current;
          const next = toChanged(current, change);
          if (change.slug !== undefined) {
            next.slug = this.#slugs.claim(change.slug, {
              id,
              title: next.title,
            });
            if (next.slug !== current.slug) claimed = next.slug;
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
      if (claimed !== undefined) this.#slugs.release(before.slug);
      this.#learn(snippet);
      return snippet;
    } catch (error) {
      if (claimed !== undefined) this.#slugs.release(claimed);
      throw error;
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
    this.#slugs.release(removed.slug);
    this.#catalog.drop(id);
  }

  #learn(snippet: Snippet): void {
    const { id, title, slug } = snippet;
    this.#slugs.rename(slug, { id, title });
    this.#catalog.put(snippet);
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
