import type { ProfileOwner } from "../chromium/browser-pool.ts";
import { readDisk } from "../chromium/check-profile.ts";
import type { BrowserConfig } from "../config.ts";
import type { Tier } from "../records/schemas.ts";

/** A disk that is smaller than the configured reserve keeps this part of it free instead. */
const MIN_FREE_PART = 0.05;
const MB = 1_000_000;

/** Sizes of a download in bytes; `totalBytes` is 0 while it is unknown. */
export interface DownloadSizes {
  receivedBytes: number;
  totalBytes: number;
}

/** What downloads may take. Each check returns the reason against it as text for the user, or `null`. */
export interface DownloadLimits {
  /** Whether this owner may download. */
  refuse(owner: ProfileOwner): string | null;
  checkSize(owner: ProfileOwner, sizes: DownloadSizes): string | null;
  /** Whether the disk of a folder has room for what is still to come. */
  checkDisk(folder: string, sizes: DownloadSizes): Promise<string | null>;
}

/** Creates the limits. */
export function createDownloadLimits(
  config: BrowserConfig["downloads"],
  tierOf: (agentId: string) => Tier,
): DownloadLimits {
  return {
    refuse(owner) {
      if (owner.kind === "user") return null;
      return ["act", "full"].includes(tierOf(owner.agentId))
        ? null
        : "This agent may not download. Let it use pages (act) on the Agents page.";
    },
    checkSize(owner, { receivedBytes, totalBytes }) {
      const isAgent = owner.kind === "agent";
      const max = isAgent ? config.agentMaxBytes : config.maxBytes;
      if (Math.max(receivedBytes, totalBytes) <= max) return null;
      const setting = isAgent ? "agentMaxBytes" : "maxBytes";
      return `It is larger than ${toText(max)}, the limit ${isAgent ? "for agents" : "for downloads"} (settings.browser.downloads.${setting}).`;
    },
    async checkDisk(folder, { receivedBytes, totalBytes }) {
      const { free, size } = await readDisk(folder);
      const kept = Math.min(config.minFreeBytes, size * MIN_FREE_PART);
      const missing = Math.max(totalBytes - receivedBytes, 0);
      return free - missing >= kept
        ? null
        : `The disk has too little room: ${toText(free)} are free, of which ${toText(kept)} stay free (settings.browser.downloads.minFreeBytes).`;
    },
  };
}

function toText(bytes: number): string {
  const megabytes = bytes / MB;
  if (megabytes >= 1_000) return `${(megabytes / 1_000).toFixed(1)} GB`;
  return megabytes >= 1 ? `${Math.round(megabytes)} MB` : `${bytes} bytes`;
}

/** Why a finished file could not be kept, as text for the user. */
export function describeFault(error: unknown): string {
  const { code } = error as NodeJS.ErrnoException;
  if (code === "ENOSPC" || code === "EDQUOT")
    return "The disk is full. Make room and download it again.";
  return `The file could not be stored (${code ?? "unknown reason"}). Download it again.`;
}
