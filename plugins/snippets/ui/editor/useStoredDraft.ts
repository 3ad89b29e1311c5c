import { watch, type Ref } from "vue";
import { newDraft, type Draft } from "./draft.ts";

/** A draft as this browser keeps it. */
export interface StoredDraft {
  draft: Draft;
  /** Revision of the snippet that it began with; `null` for a new one. */
  revision: number | null;
}

/** Where this browser keeps what was not saved. */
export interface DraftStore {
  read(): StoredDraft | undefined;
  clear(): void;
}

/** Keeps what is written of a snippet (`new` for one that does not exist yet) until it is cleared. */
export function createDraftStore(id: string): DraftStore & {
  write(stored: StoredDraft): void;
} {
  const key = `gantry-snippets-draft-${id}`;
  return {
    read() {
      try {
        return toStored(JSON.parse(localStorage.getItem(key) ?? "null"));
      } catch {
        // What another version wrote, or nothing at all.
        return undefined;
      }
    },
    write(stored) {
      try {
        const enums = [...stored.draft.enums];
        const draft = { ...stored.draft, enums };
        localStorage.setItem(key, JSON.stringify({ ...stored, draft }));
      } catch {
        // A browser that stores nothing, or no more, forgets it with the page.
      }
    },
    clear() {
      try {
        localStorage.removeItem(key);
      } catch {
        // Then there is none.
      }
    },
  };
}

const writingMs = 250;

/** Keeps a draft while it is typed, and forgets it when it is the same as what is saved. */
export function keepDraft(
  store: ReturnType<typeof createDraftStore>,
  draft: Ref<Draft>,
  isDirty: () => boolean,
  revision: () => number | null,
): () => void {
  const write = () => {
    if (isDirty()) store.write({ draft: draft.value, revision: revision() });
    else store.clear();
  };
  let timer: ReturnType<typeof setTimeout> | undefined;
  watch(
    [draft, isDirty],
    () => {
      clearTimeout(timer);
      timer = setTimeout(write, writingMs);
    },
    { deep: true },
  );
  // What was typed in the last moment counts too.
  return () => {
    clearTimeout(timer);
    write();
  };
}

function toStored(value: unknown): StoredDraft | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  const { draft, revision } = value as {
    draft?: Partial<Omit<Draft, "enums">> & { enums?: unknown };
    revision?: unknown;
  };
  if (typeof draft !== "object" || typeof draft.body !== "string")
    return undefined;
  return {
    draft: newDraft({ ...draft, enums: toEnums(draft.enums) }),
    revision: typeof revision === "number" ? revision : null,
  };
}

/** Pairs of a name and a text. An object has them in a draft that an earlier version kept. */
function toEnums(stored: unknown): Map<string, string> {
  if (typeof stored !== "object" || stored === null) return new Map();
  const pairs: unknown[] = Array.isArray(stored)
    ? stored
    : Object.entries(stored);
  return new Map(pairs.filter(isPair));
}

function isPair(value: unknown): value is [string, string] {
  return (
    Array.isArray(value) &&
    value.length === 2 &&
    value.every((part) => typeof part === "string")
  );
}
