import type { PluginDefinition } from "@gantry/plugin";

/** Why a plugin does not run. One that waits may start later; one that failed needs a change first. */
export interface NotRunning {
  state: "waiting" | "failed";
  reason: string;
}

/**
 * Orders plugins by their needs, from their data alone: no code of theirs has run yet.
 * A plugin that needs what no plugin provides, or that is part of a circle of needs, is blocked with the reason.
 */
export function orderPlugins(definitions: readonly PluginDefinition[]) {
  const providers = new Map<string, string>();
  for (const { id, provides } of definitions)
    for (const token of provides ?? []) providers.set(token.id, id);

  const needsOf = new Map<string, string[]>();
  const blocked = new Map<string, NotRunning>();
  for (const { id, needs } of definitions) {
    const tokens = Object.values(needs ?? {}).map((token) => token.id);
    const missing = tokens.filter((token) => !providers.has(token));
    if (missing.length > 0)
      blocked.set(id, {
        state: "waiting",
        reason: `nothing provides ${missing.join(", ")}`,
      });
    needsOf.set(id, [
      ...new Set(tokens.flatMap((token) => providers.get(token) ?? [])),
    ]);
  }

  const ids: string[] = [];
  const done = new Set<string>();
  const visit = (id: string, path: readonly string[]): void => {
    if (done.has(id)) return;
    if (path.includes(id)) {
      const circle = path.slice(path.indexOf(id));
      const reason = `its needs go in a circle: ${[...circle, id].join(" → ")}`;
      for (const member of circle)
        blocked.set(member, { state: "failed", reason });
      return;
    }
    for (const need of needsOf.get(id) ?? []) visit(need, [...path, id]);
    if (!done.has(id)) {
      done.add(id);
      ids.push(id);
    }
  };
  for (const { id } of definitions) visit(id, []);

  // A plugin that needs a blocked plugin waits too.
  for (const id of ids) {
    const lost = (needsOf.get(id) ?? []).find((need) => blocked.has(need));
    if (!lost || blocked.has(id)) continue;
    blocked.set(id, {
      state: "waiting",
      reason: `it needs "${lost}", which cannot start`,
    });
  }
  return {
    /** Ids in the order to start them: who provides comes before who needs. Stop in reverse. */
    ids: ids.filter((id) => !blocked.has(id)),
    /** For each plugin that cannot start: why. */
    blocked,
  };
}
