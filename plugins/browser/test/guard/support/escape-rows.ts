import { browserCalls, foreignFrames, keys, pageCalls } from "./call-rows.ts";
import type { EscapeRow } from "./escape-row.ts";
import { navigations, targets } from "./navigation-rows.ts";
import { documents, scripts, workers } from "./script-rows.ts";

/** Where attempts go. */
export interface EscapeTargets {
  /** A port of this machine that no page may reach. */
  port: number;
  /** Host and port of the site that the agent may open. */
  site: string;
  userTab: string;
  userSession: string;
  userContext: string;
}

/** Creates all attempts. Each identifies itself in `v` where it can. */
export function toEscapeRows({
  port,
  site,
  userTab,
  userSession,
  userContext,
}: EscapeTargets): EscapeRow[] {
  const rows = [
    ...navigations(port),
    ...targets(port, userTab, userSession),
    ...browserCalls(),
    ...pageCalls(port),
    ...foreignFrames(userTab, userContext),
    ...documents(port),
    ...keys(),
    ...scripts(port),
    ...workers(port),
  ];
  return JSON.parse(
    JSON.stringify(rows).replaceAll("SITE", site),
  ) as EscapeRow[];
}
