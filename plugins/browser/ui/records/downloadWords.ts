import { formatBytes, type Tone } from "@gantry/ui-kit";
import type { Download, DownloadState } from "../../src/contract.ts";

/** Labels of the download states. */
export const DOWNLOAD_STATES: Readonly<
  Record<DownloadState, { label: string; tone: Tone }>
> = {
  running: { label: "Downloading", tone: "active" },
  completed: { label: "Done", tone: "success" },
  cancelled: { label: "Cancelled", tone: "neutral" },
  failed: { label: "Failed", tone: "failed" },
};

/** Such as `12 MB of 40 MB · example.com`. */
export function describeDownload(download: Download): string {
  const { state, receivedBytes, totalBytes, problem } = download;
  const size =
    state === "running" && totalBytes !== null
      ? `${formatBytes(receivedBytes)} of ${formatBytes(totalBytes)}`
      : formatBytes(
          state === "completed" ? (totalBytes ?? receivedBytes) : receivedBytes,
        );
  return [problem, size, toHost(download.url)].filter(Boolean).join(" · ");
}

function toHost(url: string): string {
  return URL.parse(url)?.host ?? "";
}

/** Progress from 0 to 100; `undefined` while it is unknown. */
export function toPercent({
  receivedBytes,
  totalBytes,
}: Download): number | undefined {
  if (!totalBytes) return undefined;
  return Math.min(100, Math.round((100 * receivedBytes) / totalBytes));
}
