import {
  provide,
  ref,
  shallowRef,
  type InjectionKey,
  type Ref,
  type ShallowRef,
} from "vue";
import {
  isAbort,
  toApiError,
  type ApiError,
  type InputIssue,
} from "../api/apiError.ts";

/** What the fields of a form share. */
export interface FormState {
  readonly issues: Readonly<ShallowRef<readonly InputIssue[]>>;
  readonly error: Readonly<ShallowRef<ApiError | undefined>>;
  /** Takes away what was wrong with a field, since it is being changed. */
  clear(path: string): void;
  /** Tells that a field shows the issues of a path. Returns its own undo. */
  claim(path: string): () => void;
  /** Issues that no field shows. */
  unclaimed(): readonly InputIssue[];
}

export const formKey: InjectionKey<FormState> = Symbol("gantry-form");

/** A form that is being sent. */
export interface Submit<Result> extends FormState {
  readonly pending: Readonly<Ref<boolean>>;
  /** Sends. Resolves with what the work gave, `undefined` if it failed or is under way already. Never rejects. */
  submit(): Promise<Result | undefined>;
  /** Forgets what was wrong. */
  reset(): void;
}

/**
 * Sends a form, keeps it from being sent twice, and hands what the daemon found wrong to each `FormField` of that name
 * and the rest to `FormProblem`. Call it in the `setup` of the component that holds the fields.
 *
 * @example
 * const { submit, pending } = useSubmit(() => api.post<Note>("/api/notes", { body: { title: title.value } }));
 * // <form @submit.prevent="submit"><FormField name="title" label="Title">…</FormField><FormProblem /></form>
 */
export function useSubmit<Result>(work: () => Promise<Result>): Submit<Result> {
  const pending = ref(false);
  const error = shallowRef<ApiError>();
  const issues = shallowRef<readonly InputIssue[]>([]);
  const claims = shallowRef<readonly { path: string }[]>([]);

  const state: FormState = {
    issues,
    error,
    clear(path) {
      issues.value = issues.value.filter((issue) => !covers(path, issue.path));
    },
    claim(path) {
      const claim = { path };
      claims.value = [...claims.value, claim];
      return () => {
        claims.value = claims.value.filter((other) => other !== claim);
      };
    },
    unclaimed: () =>
      issues.value.filter(
        (issue) => !claims.value.some(({ path }) => covers(path, issue.path)),
      ),
  };
  provide(formKey, state);

  function reset(): void {
    error.value = undefined;
    issues.value = [];
  }

  async function submit(): Promise<Result | undefined> {
    if (pending.value) return undefined;
    pending.value = true;
    reset();
    try {
      return await work();
    } catch (thrown) {
      if (isAbort(thrown)) return undefined;
      error.value = toApiError(thrown);
      issues.value = error.value.errors;
      return undefined;
    } finally {
      pending.value = false;
    }
  }

  return { ...state, pending, submit, reset };
}

/** Tells whether a field named `path` is where an issue belongs: its own, or that of a part of its value. */
export function covers(path: string, issuePath: string): boolean {
  return issuePath === path || issuePath.startsWith(`${path}.`);
}
