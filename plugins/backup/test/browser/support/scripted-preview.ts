import type { RestorePreview, Snapshot } from "../../../src/contract.ts";
import type { RestoreInput } from "../../../src/routes/inputs.ts";

/** The parts that a restore is about; `null` for all. */
export function toOnly({ only }: RestoreInput): string[] | null {
  return only === undefined ? null : typeof only === "string" ? [only] : only;
}

/** What a restore might do to each part that is asked for. */
export function toPreview(
  input: RestoreInput,
  snapshot: Snapshot,
): RestorePreview {
  const only = toOnly(input);
  const names =
    only ??
    snapshot.parts
      .map(({ name }) => name)
      .filter((name) => !name.includes(":"));
  return {
    snapshot,
    only,
    unsaved: only === null ? 1 : 0,
    closesAgents: only === null ? 2 : 0,
    notes: [],
    parts: names.map((name) => ({
      name,
      added: name === "snippets" ? 3 : 0,
      changed: name === "snippets" ? 2 : name === "automations" ? 1 : 0,
      left: 19,
      removed: only === null && name === "inbox" ? 12 : 0,
      examples:
        name === "snippets"
          ? [
              {
                id: "snp_aaaaaaaaaaaaaaaaaaaaaaaa",
                title: "Review a pull request",
                change: "added" as const,
              },
              {
                id: "snp_bbbbbbbbbbbbbbbbbbbbbbbb",
                title: null,
                change: "changed" as const,
              },
            ]
          : [],
    })),
  };
}
