import { api, toApiError, type ApiError } from "@gantry/ui-kit";
import { ref, shallowRef, type Ref, type ShallowRef } from "vue";
import type { HistoryPage, HistoryRow, NoRepository } from "./wire.ts";

/** The history of a repository, as far as it was read. */
export interface History {
  /** What the first page tells; `git: false` where there is no repository. */
  readonly first: Readonly<ShallowRef<HistoryPage | NoRepository | undefined>>;
  readonly rows: Readonly<ShallowRef<readonly HistoryRow[]>>;
  readonly hasMore: Readonly<Ref<boolean>>;
  readonly isPending: Readonly<Ref<boolean>>;
  readonly error: Readonly<ShallowRef<ApiError | undefined>>;
  /** Reads the next page, unless one is on its way. */
  more(): Promise<void>;
  /** Starts over. What is shown stays until the first page is there. */
  refresh(): Promise<void>;
}

const pageSize = 200;

/** Reads the history of an agent's repository page by page. */
export function useHistory(agentId: string): History {
  const first = shallowRef<HistoryPage | NoRepository>();
  const rows = shallowRef<readonly HistoryRow[]>([]);
  const error = shallowRef<ApiError>();
  const isPending = ref(false);
  const hasMore = ref(false);
  let cursor: string | null = null;
  let turn = 0;

  async function read(from: string | null): Promise<void> {
    const own = (turn += 1);
    isPending.value = true;
    try {
      const page = await api.get<HistoryPage | NoRepository>(
        `/api/agents/${agentId}/git`,
        { query: { limit: pageSize, cursor: from } },
      );
      if (own !== turn) return;
      error.value = undefined;
      if (from === null) first.value = page;
      const items = page.git ? page.items : [];
      if (from === null) rows.value = items;
      else {
        // Where clocks were wrong, a commit may come once more.
        const known = new Set(rows.value.map(({ hash }) => hash));
        rows.value = [
          ...rows.value,
          ...items.filter(({ hash }) => !known.has(hash)),
        ];
      }
      cursor = page.git ? page.nextCursor : null;
      hasMore.value = cursor !== null;
    } catch (thrown) {
      if (own !== turn) return;
      error.value = toApiError(thrown);
      // What the cursor waited for is gone, as after a rebase.
      if (error.value.code === "GIT_CURSOR_INVALID") return await read(null);
    } finally {
      if (own === turn) isPending.value = false;
    }
  }

  void read(null);
  return {
    first,
    rows,
    hasMore,
    isPending,
    error,
    async more() {
      if (cursor !== null && !isPending.value) await read(cursor);
    },
    refresh: () => read(null),
  };
}
