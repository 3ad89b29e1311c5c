import { randomInt } from "node:crypto";
import { mkdir } from "node:fs/promises";
import { writeStore } from "./store-file.ts";

/** A snippet that has taken the place of one in quarantine. */
export interface QuarantinedSnippet {
  /** Of the snippet that is there now. */
  readonly snippetId: string;
  /** Of the copy of the one that was there before. It fits, and can be restored once its place is free. */
  readonly quarantineId: string;
}

/** Writes snippets into a new home's store, and copies of other ones with the same ids into its quarantine. */
export async function writeQuarantinedSnippets(
  home: string,
  count: number,
): Promise<QuarantinedSnippet[]> {
  await mkdir(home, { recursive: true, mode: 0o700 });
  const entries: Record<string, object> = {};
  const made: QuarantinedSnippet[] = [];
  for (let n = 1; n <= count; n++) {
    const snippetId = `snp_${randomLetters()}`;
    const quarantineId = `qua_${randomLetters()}`;
    const key = `snippets:snippet:${snippetId}`;
    entries[key] = toSnippet(snippetId, `Now there ${n}`);
    entries[`kernel:quarantine:${quarantineId}`] = {
      key,
      owner: "snippets",
      reason: "it did not fit an earlier version",
      at: CREATED_AT,
      value: toSnippet(snippetId, `There before ${n}`),
    };
    made.push({ snippetId, quarantineId });
  }
  writeStore(home, entries);
  return made;
}

const CREATED_AT = "2026-01-01T00:00:00.000Z";

function toSnippet(id: string, title: string): object {
  const data = {
    id,
    slug: title.toLowerCase().replaceAll(" ", "-"),
    kind: "prompt",
    title,
    description: null,
    tags: [],
    body: title,
    placeholders: [],
    createdAt: CREATED_AT,
    updatedAt: CREATED_AT,
    revision: 1,
  };
  return { v: 1, data };
}

function randomLetters(): string {
  const letters = "abcdefghijklmnopqrstuvwxyz234567";
  return Array.from({ length: 24 }, () => letters[randomInt(32)]).join("");
}
