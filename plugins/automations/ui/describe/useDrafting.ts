import {
  api,
  createKey,
  readTimeZone,
  useResource,
  useSubmit,
} from "@gantry/ui-kit";
import { computed, ref, watch } from "vue";
import type { DraftView } from "../wire.ts";

const PATH = "/api/automations/drafts";

/** What is asked for. */
export interface Description {
  description: string;
  cli: string;
  model: string;
}

/**
 * Has an agent draft an automation, and follows it.
 *
 * @param firstId Id of a draft that was begun before.
 * @param onDone Called with a draft that was seen in progress and is done.
 */
export function useDrafting(
  firstId: string | undefined,
  onDone: (draft: DraftView) => void,
) {
  const id = ref(firstId);
  const stopping = ref(false);
  const resource = useResource<DraftView>(
    () => (id.value ? `${PATH}/${id.value}` : null),
    {
      refreshOn: ["automations.draft-changed"],
      refreshIf: ({ subject }) => subject === id.value,
    },
  );
  /** The daemon forgot it, as it does when it stops. */
  const isGone = computed(() => resource.error.value?.status === 404);
  const draft = computed(() =>
    resource.data.value?.id === id.value && !isGone.value
      ? resource.data.value
      : undefined,
  );
  const isWorking = computed(() => draft.value?.state === "working");
  let seenAtWork: string | undefined;
  watch(draft, (next) => {
    if (next?.state === "working") seenAtWork = next.id;
    if (next?.state !== "done" || next.id !== seenAtWork) return;
    seenAtWork = undefined;
    onDone(next);
  });

  let body: object = {};
  /** One try of the user starts one agent, also when its answer was lost. */
  let intent = { asked: "", key: "" };
  const { submit, pending, error } = useSubmit(() =>
    api.post<DraftView>(PATH, { body, idempotencyKey: intent.key }),
  );

  return {
    /** The last that was begun. */
    draft,
    isWorking,
    stopping,
    /** While it is being begun. */
    pending,
    /** Why it could not be begun. */
    error,
    /** Why it cannot be followed. */
    lost: resource.error,
    async start(wanted: Description): Promise<string | undefined> {
      body = {
        description: wanted.description,
        cli: wanted.cli || null,
        model: wanted.model.trim() || null,
        timeZone: readTimeZone(),
      };
      const asked = JSON.stringify(body);
      if (intent.asked !== asked) intent = { asked, key: createKey() };
      const begun = await submit();
      if (!begun) return undefined;
      intent = { asked: "", key: "" };
      seenAtWork = begun.id;
      id.value = begun.id;
      return begun.id;
    },
    async stop(): Promise<void> {
      if (stopping.value || !id.value) return;
      stopping.value = true;
      try {
        resource.replace(
          await api.post<DraftView>(`${PATH}/${id.value}/stop`, { body: {} }),
        );
      } catch {
        await resource.refresh();
      } finally {
        stopping.value = false;
      }
    },
  };
}
