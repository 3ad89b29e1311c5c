import { createIdentifier } from "@gantry/plugin";
import type { Page } from "@gantry/plugin";
import * as z from "zod";
import { ALL, HistoryChanged } from "./events.ts";
import { openRecordLog, toPublic } from "./record-log.ts";
import type { RecordsHost } from "./records-host.ts";
import { visit } from "./schemas.ts";
import type { Visit } from "./schemas.ts";
import { createMatcher, toLine, toWebUrl } from "./texts.ts";

/** Once there are more, the oldest visits are removed. */
export const MAX_VISITS = 5000;
const MAX_TITLE_LENGTH = 500;

/** A visit to be recorded. */
export interface VisitInput {
  url: string;
  title?: string;
  typed?: boolean;
  agentId?: string | null;
}

/** Query of a listing. */
export interface RecordQuery {
  limit: number;
  cursor?: string;
  q?: string;
}

/** The pages that were visited. */
export interface History {
  /**
   * Records a visit. A visit to the same page as the newest one is merged with it.
   *
   * @returns `null` for an address that is not stored, such as one that is longer than 2,048 characters
   */
  visit(input: VisitInput): Promise<Visit | null>;
  /** Sets the title of a visit, which a page often has only later. Does nothing if the visit no longer exists. */
  setTitle(id: string, title: string): Promise<void>;
  list(query: RecordQuery): Promise<Page<Visit>>;
  /** @throws `STALE_REVISION` (412) */
  remove(id: string, revision?: number): Promise<boolean>;
  /** Removes these visits. Returns how many of them existed. */
  removeAll(ids: readonly string[]): Promise<number>;
  /** Removes all visits, or those since a time. Returns their number. */
  clear(since?: string): Promise<number>;
}

const record = visit.extend({ sequence: z.number().int().positive() });

/** Opens the history. */
export async function openHistory({
  store,
  clock,
}: RecordsHost): Promise<History> {
  const log = await openRecordLog({
    store,
    definition: { name: "visit", version: 1, schema: record },
    max: MAX_VISITS,
  });
  const cleared = [HistoryChanged.of(ALL, { change: "cleared" })];

  return {
    visit(input) {
      const url = toWebUrl(input.url);
      if (url === undefined) return Promise.resolve(null);
      const title = toLine(input.title ?? "", MAX_TITLE_LENGTH);
      const { typed = false, agentId = null } = input;
      return log.serial(async () => {
        const newest = await log.newest();
        if (newest?.url === url && newest.agentId === agentId) {
          const joined = await log.collection.update(newest.id, (current) => ({
            record: {
              ...current,
              title: title || current.title,
              typed: typed || current.typed,
              visitedAt: clock.timestamp(),
              visits: current.visits + 1,
            },
            events: [HistoryChanged.of(newest.id, { change: "changed" })],
          }));
          if (joined) return toPublic(joined);
        }
        const id = createIdentifier("vis");
        const visitedAt = clock.timestamp();
        const [added] = await log.add(
          [{ id, url, title, typed, agentId, visitedAt, visits: 1 }],
          [HistoryChanged.of(id, { change: "added" })],
        );
        return added ? toPublic(added) : null;
      });
    },
    setTitle: (id, text) =>
      log.serial(async () => {
        const title = toLine(text, MAX_TITLE_LENGTH);
        await log.collection.update(id, (current) =>
          current.title === title
            ? undefined
            : {
                record: { ...current, title },
                events: [HistoryChanged.of(id, { change: "changed" })],
              },
        );
      }),
    async list({ q, ...page }) {
      const fits = createMatcher(q);
      const { items, nextCursor } = await log.list({
        ...page,
        ...(fits && { filter: ({ url, title }) => fits(url, title) }),
      });
      return { items: items.map(toPublic), nextCursor };
    },
    async remove(id, revision) {
      const events = [HistoryChanged.of(id, { change: "removed" })];
      return (await log.remove(id, { revision, events })) !== undefined;
    },
    removeAll(ids) {
      const wanted = new Set(ids);
      return log.removeWhere(({ id }) => wanted.has(id), cleared);
    },
    clear: (since) =>
      log.removeWhere(
        // Compared as points in time: a client may write a time with another offset.
        ({ visitedAt }) =>
          since === undefined || Date.parse(visitedAt) >= Date.parse(since),
        cleared,
      ),
  };
}
