import {
  onScopeDispose,
  ref,
  shallowRef,
  type Ref,
  type ShallowRef,
} from "vue";
import { isAbort, toApiError, type ApiError } from "../api/apiError.ts";

/** Something that is loaded and can be loaded again. */
export interface Loader {
  readonly pending: Readonly<Ref<boolean>>;
  readonly error: Readonly<ShallowRef<ApiError | undefined>>;
  /** Loads now; a load that is under way is given up. Never rejects: what went wrong is in `error`. */
  load(): Promise<void>;
  /** Loads soon: many calls in a moment make one load, and none overtakes one that is under way. */
  loadSoon(): void;
  /** Gives up what is under way and forgets the error. */
  cancel(): void;
  /** Gives up a load that is under way, which may bring what is older than what is known by now, and loads soon. */
  startAgain(): void;
  /** Shows an error of something else. */
  fail(error: ApiError): void;
}

const quietMs = 120;

/** Makes a loader out of what it does. It is cancelled with the scope that made it. */
export function createLoader(
  work: (signal: AbortSignal) => Promise<void>,
): Loader {
  const pending = ref(false);
  const error = shallowRef<ApiError>();
  let running: AbortController | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let again = false;

  async function load(): Promise<void> {
    clearTimeout(timer);
    timer = undefined;
    again = false;
    running?.abort();
    const current = new AbortController();
    running = current;
    pending.value = true;
    try {
      await work(current.signal);
      if (running === current) error.value = undefined;
    } catch (thrown) {
      if (running === current && !isAbort(thrown))
        error.value = toApiError(thrown);
    } finally {
      if (running === current) {
        running = undefined;
        pending.value = false;
        if (again) loadSoon();
      }
    }
  }

  function loadSoon(): void {
    if (running) {
      again = true;
      return;
    }
    timer ??= setTimeout(() => void load(), quietMs);
  }

  function cancel(): void {
    clearTimeout(timer);
    timer = undefined;
    again = false;
    running?.abort();
    running = undefined;
    pending.value = false;
    error.value = undefined;
  }

  function startAgain(): void {
    // One that is due only asks later than now anyhow.
    if (!running) return;
    cancel();
    loadSoon();
  }

  onScopeDispose(cancel, true);
  return {
    pending,
    error,
    load,
    loadSoon,
    cancel,
    startAgain,
    fail: (reason) => (error.value = reason),
  };
}
