import { api, toApiError, type ApiError } from "@gantry/ui-kit";
import { computed, shallowReactive, type ComputedRef } from "vue";
import type { FolderEntry, Level } from "../repository/wire.ts";

/** One row of the tree. */
export interface TreeRow {
  /** Of the thing, or of the folder that a note is about. */
  path: string;
  name: string;
  kind: FolderEntry["kind"] | "note";
  depth: number;
  expanded: boolean;
}

/** A tree of files that is read folder by folder, as it is opened. */
export interface FileTree {
  readonly rows: ComputedRef<TreeRow[]>;
  /** Why the outermost folder could not be read. */
  readonly error: ComputedRef<ApiError | undefined>;
  readonly isLoading: ComputedRef<boolean>;
  toggle(path: string): void;
  /** Opens the folders that a file is in. */
  reveal(path: string): Promise<void>;
  /** Reads all open folders once more. */
  refresh(): void;
}

interface Known {
  level?: Level;
  error?: ApiError;
}

/** What only git looks at. */
const hidden = new Set([".git"]);

/** Makes the tree of an agent's folder. */
export function useFileTree(agentId: string): FileTree {
  const known = shallowReactive(new Map<string, Known>());
  const open = shallowReactive(new Set<string>());

  async function load(dir: string): Promise<void> {
    try {
      const path = `/api/agents/${agentId}/browse`;
      known.set(dir, { level: await api.get<Level>(path, { query: { dir } }) });
    } catch (thrown) {
      const level = known.get(dir)?.level;
      known.set(dir, {
        ...(level ? { level } : {}),
        error: toApiError(thrown),
      });
    }
  }

  function* rowsOf(dir: string, depth: number): Generator<TreeRow> {
    const { level, error } = known.get(dir) ?? {};
    const note = (name: string): TreeRow => ({
      path: dir,
      name,
      kind: "note",
      depth,
      expanded: false,
    });
    if (!level) {
      if (dir !== "") yield note(error ? error.title : "Loading");
      return;
    }
    for (const { name, path, kind } of level.items) {
      if (hidden.has(name)) continue;
      const expanded = kind === "folder" && open.has(path);
      yield { path, name, kind, depth, expanded };
      if (expanded) yield* rowsOf(path, depth + 1);
    }
    if (level.items.length === 0 && dir !== "") yield note("Empty");
    if (level.truncated) yield note("More is here than can be shown");
  }

  void load("");
  return {
    rows: computed(() => [...rowsOf("", 0)]),
    error: computed(() =>
      known.get("")?.level ? undefined : known.get("")?.error,
    ),
    isLoading: computed(() => known.get("") === undefined),
    toggle(path) {
      if (open.delete(path)) return;
      open.add(path);
      void load(path);
    },
    async reveal(path) {
      const names = path.split("/").slice(0, -1);
      for (let depth = 1; depth <= names.length; depth += 1) {
        const dir = names.slice(0, depth).join("/");
        open.add(dir);
        if (!known.get(dir)?.level) await load(dir);
      }
    },
    refresh() {
      for (const dir of ["", ...open]) void load(dir);
    },
  };
}
