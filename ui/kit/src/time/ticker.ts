import { readonly, ref, type Ref } from "vue";

/** The current time, for everything on the page that shows how long ago something was. */
export interface Ticker {
  /** Ms since 1970, updated each second while a component uses it and the page is shown. */
  second(): { now: Readonly<Ref<number>>; release: () => void };
  /** The same for each half minute. */
  minute(): { now: Readonly<Ref<number>>; release: () => void };
}

/** Makes a ticker that holds a timer only while its time is used. */
export function createTicker(): Ticker {
  return { second: createBeat(1_000), minute: createBeat(30_000) };
}

function createBeat(everyMs: number): Ticker["second"] {
  const now = ref(Date.now());
  let users = 0;
  let timer: ReturnType<typeof setInterval> | undefined;

  function beat(): void {
    if (!document.hidden) now.value = Date.now();
  }

  function release(): void {
    users -= 1;
    if (users > 0) return;
    clearInterval(timer);
    document.removeEventListener("visibilitychange", beat);
  }

  return () => {
    users += 1;
    if (users === 1) {
      now.value = Date.now();
      timer = setInterval(beat, everyMs);
      document.addEventListener("visibilitychange", beat);
    }
    return { now: readonly(now), release };
  };
}
