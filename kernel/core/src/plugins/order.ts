import type { PluginDefinition } from "@gantry/plugin";

/** In which order plugins start, and which cannot. */
export interface StartOrder {
  /** Ids in the order to start them: providers before the plugins that need them. Stop in reverse. */
  ids: string[];
  /** Why each other plugin cannot start. A waiting one may start later; a failed one needs a change first. */
  blocked: Map<string, { state: "waiting" | "failed"; reason: string }>;
}

/**
 * Orders plugins by their needs, from their definitions alone, before any of their code runs.
 * A plugin that needs a service without a provider, or that is part of a dependency cycle, is blocked with the reason.
 *
 * @param isGiven Whether the kernel provides a service itself, so that it is always available.
 */
export function orderPlugins(
  definitions: readonly PluginDefinition[],
  isGiven: (serviceId: string) => boolean = () => false,
): StartOrder {
  const providers = new Map<string, string>();
  for (const { id, provides } of definitions)
    for (const token of provides ?? [])
      // The registry refuses a second provider, so that nothing has to wait for it.
      if (!isGiven(token.id) && !providers.has(token.id))
        providers.set(token.id, id);

  const needsOf = new Map<string, string[]>();
  const blocked: StartOrder["blocked"] = new Map();
  for (const { id, needs } of definitions) {
    const tokens = Object.values(needs ?? {}).map((token) => token.id);
    const missing = tokens.filter(
      (token) => !providers.has(token) && !isGiven(token),
    );
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

  // Plugins that need a blocked plugin wait too.
  for (const id of ids) {
    const lost = (needsOf.get(id) ?? []).find((need) => blocked.has(need));
    if (!lost || blocked.has(id)) continue;
    blocked.set(id, {
      state: "waiting",
      reason: `it needs "${lost}", which cannot start`,
    });
  }
  return { ids: ids.filter((id) => !blocked.has(id)), blocked };
}
