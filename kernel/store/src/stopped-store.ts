import { existsSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { parse, Unreadable } from "./engine.ts";
import type { Entry } from "./engine.ts";
import { keyRange } from "./key-range.ts";

/** Lists the entries whose keys begin with a prefix, the last key first, without those that cannot be read. */
export type ListEntries = (prefix: string) => Entry[];

/**
 * Reads from the file of a store that no daemon has open. The file is not changed.
 *
 * @returns what `read` makes of it, unless there is none or it cannot be read; and what is wrong with it
 */
export function readStoppedStore<Content>(
  file: string,
  read: (list: ListEntries) => Content,
): { content?: Content; problem?: string | null } {
  if (!existsSync(file)) return {};
  try {
    using database = new DatabaseSync(file, { readOnly: true });
    const check = database.prepare("PRAGMA quick_check(1)").get();
    const problem = check?.quick_check === "ok" ? null : "it is damaged";
    const select = database.prepare(
      "SELECT key, value FROM entries WHERE key >= ? AND key < ? ORDER BY key DESC",
    );
    const content = read((prefix) => {
      const { from, to } = keyRange(prefix);
      return select.all(from, to).flatMap(({ key, value: text }) => {
        const value = parse(String(text));
        if (!value || value instanceof Unreadable) return [];
        return [{ key: String(key), value }];
      });
    });
    return { content, problem };
  } catch (error) {
    return { problem: (error as Error).message };
  }
}
