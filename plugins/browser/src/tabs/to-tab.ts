import type { ProfileOwner } from "../chromium/browser-pool.ts";
import { MAX_URL_LENGTH, toLine } from "../records/texts.ts";
import type { Tab } from "./schemas.ts";

const MAX_TITLE_LENGTH = 500;

/** The part of `Target.TargetInfo` that is read. */
export interface TargetInfo {
  targetId: string;
  type: string;
  title: string;
  url: string;
  /** The tab whose page opened it. */
  openerId?: string;
}

/** A tab as Chromium describes it now; the rest stays as it was known. */
export function toTab(
  { targetId, url, title }: TargetInfo,
  owner: ProfileOwner,
  known: Tab | undefined,
): Tab {
  return {
    id: targetId,
    // Cut first: pages choose addresses of 2 MB, and change them any number of times.
    url:
      toLine(url.slice(0, 2 * MAX_URL_LENGTH), MAX_URL_LENGTH) ||
      (known?.url ?? ""),
    title: toLine(title.slice(0, 2 * MAX_TITLE_LENGTH), MAX_TITLE_LENGTH),
    problem: known?.problem ?? null,
    ownerAgentId: owner.kind === "agent" ? owner.agentId : null,
  };
}
