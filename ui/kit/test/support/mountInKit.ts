import { mount } from "@vue/test-utils";
import { createKit, type Kit } from "../../src/host.ts";
import type { ToastMessage } from "../../src/composables/toastPort.ts";
import { defineComponent, h, type Component } from "vue";
import { createMemoryHistory, createRouter } from "vue-router";

/** What a test sees of the app round a component. */
export interface Surroundings {
  kit: Kit;
  toasts: ToastMessage[];
  /** What components threw, with the plugin that they are from. */
  reports: { error: unknown; plugin: string | undefined }[];
  title: () => string;
}

/** Makes a kit whose ports are lists. */
export function createTestKit(): Surroundings {
  const toasts: ToastMessage[] = [];
  const reports: Surroundings["reports"] = [];
  let title = "";
  const kit = createKit({
    toasts: {
      show: (message) => `toast-${toasts.push(message)}`,
      hide: () => undefined,
    },
    colorMode: {
      preference: () => "system",
      resolved: () => "light",
      set: () => undefined,
    },
    setTitle: (next) => (title = next),
    report: (error, plugin) => reports.push({ error, plugin }),
  });
  return { kit, toasts, reports, title: () => title };
}

/** A stand-in for a Nuxt UI component: what it is given, as an element that a test can press. */
const element = (
  tag: string,
  text: (attrs: Record<string, unknown>) => string | undefined,
) =>
  defineComponent({
    inheritAttrs: false,
    setup: (_props, { attrs, slots }) => {
      return () =>
        h(tag, { ...attrs, class: undefined }, [
          text(attrs),
          slots["default"]?.(),
          slots["body"]?.(),
          slots["footer"]?.(),
        ]);
    },
  });

/** Mounts a component inside an app with a kit and a router. */
export function mountInKit(
  component: Component,
  options: {
    props?: Record<string, unknown>;
    slots?: Record<string, unknown>;
    /** In place of the stand-ins. */
    components?: Record<string, Component>;
  } = {},
) {
  const surroundings = createTestKit();
  const router = createRouter({
    history: createMemoryHistory(),
    routes: [{ path: "/:all(.*)*", component: { render: () => null } }],
  });
  const wrapper = mount(component, {
    props: options.props ?? {},
    // Slots of any component: their shapes are not known here.
    slots: (options.slots ?? {}) as never,
    attachTo: document.body,
    global: {
      plugins: [surroundings.kit, router],
      components: {
        UButton: element("button", ({ label }) => label as string | undefined),
        UIcon: element("i", () => undefined),
        UInput: element("input", () => undefined),
        UModal: element("section", ({ title }) => title as string | undefined),
        USlideover: element("section", () => undefined),
        UFormField: defineComponent({
          props: ["label", "error", "name"],
          setup: (
            props: { label?: string; error?: string | false; name?: string },
            { slots },
          ) => {
            return () =>
              h("div", { "data-name": props.name }, [
                props.label,
                slots["default"]?.(),
                h("em", props.error || ""),
              ]);
          },
        }),
        ...options.components,
      },
    },
  });
  return { ...surroundings, wrapper, router };
}

/** Runs a composable inside an app and gives what it returned. */
export function runInKit<Result>(composable: () => Result) {
  let result: Result | undefined;
  const mounted = mountInKit(
    defineComponent({
      setup() {
        result = composable();
        return () => null;
      },
    }),
  );
  return { ...mounted, result: result as Result };
}
