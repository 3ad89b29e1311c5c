import { api, createKey, useLeaveGuard, useSubmit } from "@gantry/ui-kit";
import {
  computed,
  onBeforeUnmount,
  ref,
  shallowRef,
  type ComputedRef,
  type Ref,
} from "vue";
import type { Snippet } from "../wire.ts";
import {
  isSame,
  newDraft,
  problemsOf,
  toBody,
  toDraft,
  type Draft,
  type DraftProblems,
} from "./draft.ts";
import { useSlugCheck, type SlugState } from "./useSlugCheck.ts";
import { createDraftStore, keepDraft } from "./useStoredDraft.ts";

/** A snippet that is being written. */
export interface SnippetForm {
  readonly draft: Ref<Draft>;
  readonly problems: ComputedRef<DraftProblems>;
  readonly slugState: ComputedRef<SlugState>;
  readonly isDirty: ComputedRef<boolean>;
  readonly pending: Readonly<Ref<boolean>>;
  /** The form began with a draft that was never saved; the snippet may have been changed since. */
  readonly restored: Readonly<Ref<"current" | "outdated" | undefined>>;
  /** The snippet was changed elsewhere meanwhile. */
  readonly overtaken: ComputedRef<boolean>;
  /** What is wrong with a field, once it is worth saying. */
  errorOf(path: string): string | undefined;
  /** Gives the snippet as it was saved; `undefined` if it was not. */
  save(overwrite: boolean): Promise<Snippet | undefined>;
  /** Goes back to what is saved. */
  discard(): void;
  /** Goes back to what was saved elsewhere. */
  takeTheirs(): Promise<void>;
}

/** Writes a snippet, and keeps what is written in this browser until it is saved or discarded. */
export function useSnippetForm(
  given: () => Snippet | undefined,
  begin: Draft | undefined,
): SnippetForm {
  const base = shallowRef(given());
  const store = createDraftStore(base.value?.id ?? "new");
  const saved = () => (base.value ? toDraft(base.value) : newDraft());
  const stored = begin ? undefined : store.read();
  const draft = ref(begin ?? stored?.draft ?? saved());
  const restored = shallowRef<"current" | "outdated" | undefined>(
    stored && !isSame(stored.draft, saved())
      ? stored.revision === (base.value?.revision ?? null)
        ? "current"
        : "outdated"
      : undefined,
  );
  const tried = ref(false);
  /** One try of the user has one effect, also when its answer was lost. */
  let intent = createKey();

  const isDirty = computed(() => !isSame(draft.value, saved()));
  const problems = computed(() => problemsOf(draft.value));
  const slugState = useSlugCheck(
    () => draft.value.slug,
    () => draft.value.kind,
    base.value?.id,
  );
  const settle = keepDraft(
    store,
    draft,
    () => isDirty.value,
    () => base.value?.revision ?? null,
  );
  onBeforeUnmount(settle);
  useLeaveGuard(() => isDirty.value, {
    body: "What you wrote stays in this browser as a draft, until you save or discard it.",
  });

  let overwrites = false;
  const { submit, pending, error, reset } = useSubmit(() => {
    const body = toBody(draft.value);
    if (!base.value)
      return api.post<Snippet>("/api/snips", { body, idempotencyKey: intent });
    return api.patch<Snippet>(`/api/snips/${base.value.id}`, {
      body,
      ifMatch: overwrites ? undefined : base.value.revision,
    });
  });

  function show(snippet: Snippet | undefined): void {
    base.value = snippet;
    draft.value = saved();
    restored.value = undefined;
    tried.value = false;
    reset();
    store.clear();
  }

  return {
    draft,
    problems,
    slugState,
    isDirty,
    pending,
    restored,
    overtaken: computed(() => error.value?.code === "STALE_REVISION"),
    errorOf(path) {
      const problem = problems.value.fields[path];
      return problem && (tried.value || !problem.missing)
        ? problem.message
        : undefined;
    },
    async save(overwrite) {
      tried.value = true;
      const { fields, body } = problems.value;
      const isBlocked =
        Object.keys(fields).length > 0 ||
        body.length > 0 ||
        slugState.value.state === "taken";
      if (isBlocked) return undefined;
      overwrites = overwrite;
      const before = JSON.stringify(toBody(draft.value));
      const snippet = await submit();
      // What was refused and then changed is another request; one whose answer was lost is not.
      if (error.value?.code !== "UNREACHABLE") intent = createKey();
      if (!snippet) return undefined;
      // What was typed while it was saved is kept, and is not saved yet.
      if (JSON.stringify(toBody(draft.value)) === before) show(snippet);
      else base.value = snippet;
      return snippet;
    },
    discard: () => show(base.value),
    async takeTheirs() {
      if (base.value)
        show(await api.get<Snippet>(`/api/snips/${base.value.id}`));
    },
  };
}
