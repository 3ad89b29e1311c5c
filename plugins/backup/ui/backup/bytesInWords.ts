import { formatBytes } from "@gantry/ui-kit";
import type { Job } from "../wire.ts";

/** `412 MB of 1.2 GB`, or what is done of an unknown whole. Empty before the first byte. */
export function bytesInWords({ doneBytes, totalBytes }: Job): string {
  if (totalBytes === null)
    return doneBytes > 0 ? `${formatBytes(doneBytes)} done` : "";
  if (totalBytes <= 0) return "";
  return `${formatBytes(Math.min(doneBytes, totalBytes))} of ${formatBytes(totalBytes)}`;
}
