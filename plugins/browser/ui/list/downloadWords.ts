import { formatBytes, type Tone } from "@gantry/ui-kit";
import type { Download, DownloadState } from "../wire.ts";

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
  const { state, receivedBytes, totalBytes, url } = download;
  const received = formatBytes(receivedBytes);
  const size =
    state === "running" && totalBytes !== null
      ? `${received} of ${formatBytes(totalBytes)}`
      : received;
  return [size, URL.parse(url)?.host].filter(Boolean).join(" · ");
}

/** Progress from 0 to 100; `null` while it is unknown. */
export function toPercent({
  receivedBytes,
  totalBytes,
}: Download): number | null {
  if (!totalBytes) return null;
  return Math.min(100, Math.round((100 * receivedBytes) / totalBytes));
}
