import { defineComponent, h, shallowRef, type Component } from "vue";

/** What is shown while a component is fetched. */
export type Placeholder = "trigger" | "field" | "mark" | "block" | "nothing";

const shapes: Readonly<
  Record<Exclude<Placeholder, "trigger" | "nothing">, string>
> = {
  field: "kit-bone kit-late block h-8 w-full",
  mark: "kit-bone kit-late inline-block size-4",
  block: "kit-bone kit-late block h-24 w-full",
};

/**
 * Makes a component that fetches the real one when it is first shown. Until it is there its place is kept: by what it
 * wraps if that is a trigger, else by a grey shape of its size, so that the page does not jump.
 */
export function createDeferredComponent(
  load: () => Promise<Component>,
  placeholder: Placeholder,
): Component {
  const component = shallowRef<Component>();
  const failure = shallowRef<{ error: unknown }>();
  return defineComponent({
    inheritAttrs: false,
    setup(_props, { attrs, slots }) {
      if (!component.value) {
        failure.value = undefined;
        load().then(
          (loaded) => (component.value = loaded),
          (error: unknown) => (failure.value = { error }),
        );
      }
      return () => {
        // Thrown while rendering, so that the boundary round the page shows it and can try again.
        if (failure.value) throw failure.value.error;
        if (component.value) return h(component.value, attrs, slots);
        if (placeholder === "trigger")
          return slots["default"]?.({ open: false });
        return placeholder === "nothing"
          ? null
          : h("span", { class: shapes[placeholder], "aria-hidden": "true" });
      };
    },
  });
}
