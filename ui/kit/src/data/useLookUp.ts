import { shallowRef, watch, type Ref } from "vue";
import { isAbort, toApiError } from "../api/apiError.ts";

/** What was found for something that is being typed. */
export interface LookUp<Answer> {
  /** The last answer; it stays while the next one is on its way. */
  readonly answer: Readonly<Ref<Answer | undefined>>;
  /** Why the last question has none, for the user. */
  readonly problem: Readonly<Ref<string | undefined>>;
}

/** Who types on does not want what was typed before. */
const settleMs = 60;

/**
 * Looks something up while it is typed: once at the beginning, then after each short rest, and gives up what is out of
 * date. Ends with the component.
 *
 * @example const { answer, problem } = useLookUp(() => props.query, (q, signal) => api.get("/api/notes", { query: { q }, signal }));
 */
export function useLookUp<Answer>(
  asked: () => string,
  read: (asked: string, signal: AbortSignal) => Promise<Answer>,
): LookUp<Answer> {
  const answer = shallowRef<Answer>();
  const problem = shallowRef<string>();
  watch(
    asked,
    (text, before, onCleanup) => {
      const abort = new AbortController();
      const delay = before === undefined ? 0 : settleMs;
      const timer = setTimeout(() => void find(text, abort.signal), delay);
      onCleanup(() => {
        clearTimeout(timer);
        abort.abort();
      });
    },
    { immediate: true },
  );

  async function find(text: string, signal: AbortSignal): Promise<void> {
    try {
      const found = await read(text, signal);
      if (signal.aborted) return;
      answer.value = found;
      problem.value = undefined;
    } catch (thrown) {
      if (!signal.aborted && !isAbort(thrown))
        problem.value = toApiError(thrown).detail;
    }
  }

  return { answer, problem };
}
