import type { Resource } from "@gantry/ui-kit";
import { onScopeDispose, watch } from "vue";

const RETRY_MS = 5_000;

/** Reads a resource again some time after it could not be read, where no event would have it read. */
export function retryAfterErrors({
  error,
  refresh,
}: Pick<Resource<unknown>, "error" | "refresh">): void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  watch(error, (reason) => {
    clearTimeout(timer);
    if (reason) timer = setTimeout(() => void refresh(), RETRY_MS);
  });
  onScopeDispose(() => clearTimeout(timer));
}
