import { computed, ref, watch, type ComputedRef, type Ref } from "vue";
import { useRoute, useRouter } from "vue-router";
import { kinds } from "../snippets/kinds.ts";
import type { Kind } from "../wire.ts";

/** What narrows the list. It is in the address, so that going back and a link keep it. */
export interface Filters {
  /** What is typed. */
  readonly text: Ref<string>;
  /** What is asked for: the text once typing rests. */
  readonly asked: Readonly<Ref<string>>;
  readonly kind: ComputedRef<Kind | undefined>;
  readonly tag: ComputedRef<string | undefined>;
  /** Something narrows the list. */
  readonly narrowed: ComputedRef<boolean>;
  set(change: { kind?: Kind | undefined; tag?: string | undefined }): void;
  clear(): void;
}

const typingMs = 120;

/** Keeps the filters of the list in the address of the page. */
export function useFilters(): Filters {
  const route = useRoute();
  const router = useRouter();
  const text = ref(textOf(route.query["q"]) ?? "");
  const asked = ref(text.value.trim());
  const kind = computed(() => {
    const given = textOf(route.query["kind"]);
    return given !== undefined && Object.hasOwn(kinds, given)
      ? (given as Kind)
      : undefined;
  });
  const tag = computed(() => textOf(route.query["tag"]));

  function write(change: Record<string, string | undefined>): void {
    const next = {
      q: asked.value || undefined,
      kind: kind.value,
      tag: tag.value,
      ...change,
    };
    void router.replace({ path: "/snippets", query: next });
  }

  watch(text, (typed, _before, onCleanup) => {
    const timer = setTimeout(() => {
      asked.value = typed.trim();
      write({});
    }, typingMs);
    onCleanup(() => clearTimeout(timer));
  });

  return {
    text,
    asked,
    kind,
    tag,
    narrowed: computed(
      () =>
        asked.value !== "" ||
        kind.value !== undefined ||
        tag.value !== undefined,
    ),
    set: write,
    clear() {
      text.value = asked.value = "";
      write({ q: undefined, kind: undefined, tag: undefined });
    },
  };
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}
