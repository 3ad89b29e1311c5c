import { ApiError, useResource, useSubmit } from "@gantry/ui-kit";
import { computed, ref, type Ref } from "vue";
import { saveSettings } from "../backup/calls.ts";
import { useBackup } from "../backup/useBackup.ts";
import type { State, System } from "../wire.ts";
import {
  findProblems,
  isChanged,
  toDraft,
  toInput,
  type Draft,
  type DraftField,
} from "./draft.ts";
import { suggestFolders } from "./suggestFolders.ts";

/** The field that a refusal is about, where the daemon's code says so. */
const fields: Readonly<Record<string, DraftField>> = {
  BACKUP_FOLDER_INVALID: "folder",
  BACKUP_FOLDER_UNAVAILABLE: "folder",
  BACKUP_DISK_FULL: "folder",
  BACKUP_SECRETS_PLAIN: "includeSecrets",
  BACKUP_PASSPHRASE_WRONG: "passphrase",
};

/** Puts a refusal at its field, so that it stands where it can be put right. Anything else is given back as it is. */
export function placeProblem(thrown: unknown): unknown {
  if (!(thrown instanceof ApiError) || thrown.errors.length > 0) return thrown;
  if (!Object.hasOwn(fields, thrown.code)) return thrown;
  const { status, code, title, detail, requestId } = thrown;
  return new ApiError(
    {
      status,
      code,
      title,
      detail,
      errors: [{ path: fields[code]!, message: detail }],
      ...(requestId === undefined ? {} : { requestId }),
    },
    { cause: thrown },
  );
}

/** A form for the settings that `state` has. Call it in the `setup` of the component that holds the fields. */
export function useBackupForm(state: State) {
  const { resource } = useBackup();
  const system = useResource<System>("/api/system");
  const draft: Ref<Draft> = ref(toDraft(state));
  /** What is wrong is said once it was tried to save. */
  const wasTried = ref(false);
  const found = computed(() => findProblems(draft.value, system.data.value));
  const saved = ref(state);

  const { submit, pending } = useSubmit(async () => {
    try {
      return await saveSettings(
        toInput(draft.value, saved.value, system.data.value),
      );
    } catch (thrown) {
      throw placeProblem(thrown);
    }
  });

  return {
    draft,
    pending,
    suggestions: computed(() => suggestFolders(system.data.value)),
    problems: computed(() => (wasTried.value ? found.value : {})),
    isDirty: computed(() => isChanged(draft.value, saved.value)),
    /** Resolves with the saved state; `undefined` if something is wrong. */
    async save(): Promise<State | undefined> {
      wasTried.value = true;
      if (Object.keys(found.value).length > 0) return undefined;
      const next = await submit();
      if (!next) return undefined;
      saved.value = next;
      draft.value = toDraft(next);
      wasTried.value = false;
      resource.replace(next);
      return next;
    },
  };
}
