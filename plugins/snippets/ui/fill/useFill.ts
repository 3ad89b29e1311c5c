import { api, ApiError, isAbort, useSubmit } from "@gantry/ui-kit";
import {
  computed,
  ref,
  shallowRef,
  watch,
  type ComputedRef,
  type Ref,
} from "vue";
import { toSegments, type Segment } from "../editor/segments.ts";
import type {
  Confirmation,
  Context,
  Expansion,
  Placeholder,
  Sending,
  Snippet,
  Target,
} from "../wire.ts";
import { checkValues, givenValues, type Values } from "./checkValues.ts";

/** A snippet while its blanks are filled. */
export interface Fill {
  readonly values: Ref<Values>;
  /** Those that are asked for. */
  readonly asked: ComputedRef<readonly Placeholder[]>;
  readonly reserved: ComputedRef<readonly Placeholder[]>;
  /** What the target fills in; `undefined` until it is known. */
  readonly context: Readonly<Ref<Context | undefined>>;
  readonly segments: ComputedRef<readonly Segment[]>;
  /** What is wrong with values, once it is worth saying. */
  readonly problems: ComputedRef<ReadonlyMap<string, string>>;
  readonly pending: Readonly<Ref<boolean>>;
  /** What a terminal has to be asked about. */
  readonly confirmation: Ref<Confirmation | undefined>;
  /** Why it has to be asked once more. */
  readonly notice: Ref<string | undefined>;
  /** The text with the values, and what it still misses; `undefined` if something is wrong. */
  expand(): Promise<Expansion | undefined>;
  /** Sends it. A terminal is asked about first. */
  send(): Promise<Sending | undefined>;
}

/** Fills the blanks of a snippet for a target. */
export function useFill(
  snippet: () => Snippet,
  target: () => Target | undefined,
): Fill {
  const values = shallowRef<Values>(new Map());
  const tried = ref(false);
  const confirmation = shallowRef<Confirmation>();
  const notice = ref<string>();

  const placeholders = computed(() => snippet().placeholders);
  const asked = computed(() =>
    placeholders.value.filter((one) => !one.reserved),
  );
  const reserved = computed(() =>
    placeholders.value.filter((one) => one.reserved),
  );
  const context = useContext(snippet, target, () => reserved.value.length > 0);
  const found = computed(() =>
    checkValues(
      placeholders.value,
      values.value,
      target()?.type === "terminal",
    ),
  );
  const given = () => givenValues(placeholders.value, values.value);

  const { submit, pending } = useSubmit(
    (): Promise<Expansion | Sending | Confirmation> => work(),
  );
  let work: () => Promise<Expansion | Sending | Confirmation>;

  function run(confirm: string | undefined): Promise<Sending | Confirmation> {
    return api.post<Sending | Confirmation>(`/api/snips/${snippet().id}/run`, {
      body: { target: target(), values: given(), confirm },
    });
  }

  async function runConfirmed(): Promise<Sending | Confirmation> {
    try {
      return await run(confirmation.value?.confirmation);
    } catch (thrown) {
      if (!isOutdated(thrown)) throw thrown;
      notice.value =
        "That was more than a minute ago, or something changed. Look at it once more.";
      return run(undefined);
    }
  }

  const isReady = () => {
    tried.value = true;
    return found.value.size === 0;
  };

  return {
    values,
    asked,
    reserved,
    context,
    pending,
    confirmation,
    notice,
    problems: computed(() => (tried.value ? found.value : new Map())),
    segments: computed(() =>
      toSegments(
        snippet().body,
        new Map([...values.value, ...Object.entries(context.value ?? {})]),
      ),
    ),
    async expand() {
      if (!isReady()) return undefined;
      work = () =>
        api.post<Expansion>(`/api/snips/${snippet().id}/expand`, {
          body: { values: given(), target: target() },
        });
      const answer = await submit();
      return answer && "missing" in answer ? answer : undefined;
    },
    async send() {
      if (!isReady() || !target()) return undefined;
      work = runConfirmed;
      const answer = await submit();
      if (!answer || !("needsConfirmation" in answer)) {
        confirmation.value = undefined;
        return undefined;
      }
      if (answer.needsConfirmation) {
        confirmation.value = answer;
        return undefined;
      }
      confirmation.value = notice.value = undefined;
      return answer;
    },
  };
}

/** Asks what the target fills in, when there is something to fill. */
function useContext(
  snippet: () => Snippet,
  target: () => Target | undefined,
  isNeeded: () => boolean,
): Readonly<Ref<Context | undefined>> {
  const context = shallowRef<Context>();
  watch(
    [() => snippet().id, () => target()?.id, isNeeded],
    async ([id, , needed], _before, onCleanup) => {
      if (!needed) return;
      const abort = new AbortController();
      onCleanup(() => abort.abort());
      try {
        const answer = await api.post<Expansion>(`/api/snips/${id}/expand`, {
          body: { target: target() },
          signal: abort.signal,
        });
        context.value = answer.context;
      } catch (thrown) {
        // Sending says what is wrong; this is only shown.
        if (!isAbort(thrown)) context.value = undefined;
      }
    },
    { immediate: true },
  );
  return context;
}

function isOutdated(thrown: unknown): thrown is ApiError {
  return thrown instanceof ApiError && thrown.code === "SNIPPET_CONFIRMATION";
}
