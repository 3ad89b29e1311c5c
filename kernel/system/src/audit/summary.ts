import type { Clock } from "@gantry/plugin";
import type { AuditDetails } from "./audit-entry.ts";

const WINDOW_MS = 60_000;
/** Kinds of one action that get a line each within a window; all others are counted together. */
const MAX_KINDS = 8;

/** Something that happened, before it is an entry. */
export interface AuditEvent {
  by: string;
  action: string;
  details: AuditDetails;
}

interface Kind {
  event: AuditEvent;
  again: number;
}

/**
 * Sums up what is unauthenticated and unlimited: of each kind the first within a minute is written at once,
 * all further ones as one line with their number at the end of that minute. So a flood costs some lines and little
 * memory, whatever varies in it.
 */
export function createAuditSummary(
  clock: Clock,
  write: (event: AuditEvent, again?: number) => void,
) {
  const actions = new Map<string, Map<string, Kind>>();
  let cancel = () => {};

  function flush(): void {
    cancel();
    for (const kinds of actions.values())
      for (const { event, again } of kinds.values())
        if (again > 0) write(event, again);
    actions.clear();
  }

  return {
    /** Writes what was counted so far. */
    flush,
    /** Lets the first of its kind through and counts the rest. */
    note(event: AuditEvent): void {
      if (actions.size === 0) cancel = clock.after(WINDOW_MS, flush);
      const name = `${event.by} ${event.action}`;
      const kinds = actions.get(name) ?? new Map<string, Kind>();
      actions.set(name, kinds);
      const shape = JSON.stringify(event.details);
      const known = kinds.get(shape);
      if (known) return void known.again++;
      if (kinds.size < MAX_KINDS) {
        kinds.set(shape, { event, again: 0 });
        return write(event);
      }
      const others = kinds.get("") ?? {
        event: { ...event, details: {} },
        again: 0,
      };
      others.again++;
      kinds.set("", others);
    },
  };
}
