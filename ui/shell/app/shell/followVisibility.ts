import type { EventHub } from "@gantry/ui-kit/host";
import { onScopeDispose } from "vue";

const graceMs = 30_000;
const lockName = "gantry-hidden-stream";

/**
 * Closes the event stream of a page that is hidden, since a browser opens only six connections to one host and a few
 * forgotten tabs would use them up. One hidden page keeps its stream, so that its title shows what needs input.
 */
export function followVisibility(events: EventHub): void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let release: (() => void) | undefined;

  function hide(): void {
    if (!("locks" in navigator)) return events.pause();
    void navigator.locks.request(lockName, { ifAvailable: true }, (lock) => {
      if (!document.hidden) return undefined;
      if (!lock) return events.pause();
      return new Promise<void>((resolve) => (release = resolve));
    });
  }

  function follow(): void {
    clearTimeout(timer);
    release?.();
    release = undefined;
    if (document.hidden) timer = setTimeout(hide, graceMs);
    else events.resume();
  }

  document.addEventListener("visibilitychange", follow);
  window.addEventListener("online", events.resume);
  onScopeDispose(() => {
    document.removeEventListener("visibilitychange", follow);
    window.removeEventListener("online", events.resume);
    clearTimeout(timer);
    release?.();
  });
}
