import { flushPromises } from "@vue/test-utils";
import { expect, test, vi } from "vitest";
import { defineComponent, h, nextTick, ref, type Component } from "vue";
import {
  ApiError,
  ConfirmDialog,
  CopyButton,
  ErrorBoundary,
  ErrorState,
  LocalTime,
  PageShell,
  ResourceView,
  RowItem,
  SecretReveal,
  SlotOutlet,
  StatusBadge,
  useConfirm,
  useToast,
} from "../src/index.ts";
import { toComponent } from "../src/host.ts";
import { mountInKit, runInKit } from "./support/mountInKit.ts";

const problem = new ApiError({
  status: 500,
  code: "INTERNAL",
  title: "Ours",
  detail: "Something went wrong.",
  requestId: "req_7",
});

function breaks(times: number) {
  let left = times;
  return defineComponent({
    setup() {
      left -= 1;
      if (left >= 0) throw new Error("It is broken");
    },
    render: () => h("p", "whole"),
  });
}

test("a component that throws is replaced by the reason, and can be tried again", async () => {
  const { wrapper, reports } = mountInKit(ErrorBoundary, {
    props: { plugin: "notes" },
    slots: { default: breaks(1) },
  });
  await nextTick();
  expect(wrapper.get("[role=alert]").text()).toContain("It is broken");
  expect(reports).toMatchObject([{ plugin: "notes" }]);
  await wrapper.get("button").trigger("click");
  expect(wrapper.text()).toBe("whole");
});

test("a click that throws is reported and leaves the page", async () => {
  const page = defineComponent({
    setup: () => () =>
      h("button", {
        onClick: () => {
          throw new Error("The click is broken");
        },
      }),
  });
  const { wrapper, reports, toasts } = mountInKit(ErrorBoundary, {
    slots: { default: page },
  });
  await wrapper.get("button").trigger("click");
  expect(reports).toHaveLength(1);
  expect(toasts).toMatchObject([
    { detail: "The click is broken", tone: "failed" },
  ]);
  expect(wrapper.find("[role=alert]").exists()).toBe(false);
});

test("a place shows what plugins put there, in order, each with the context, and one that breaks alone", async () => {
  const { wrapper, kit } = mountInKit(SlotOutlet, {
    props: { name: "agent.sidebar", context: { agentId: "agt_1" } },
    slots: { default: () => "nobody" },
  });
  expect(wrapper.text()).toBe("nobody");
  const show = defineComponent({
    props: ["agentId"],
    render: (self: { agentId: string }) => h("p", self.agentId),
  });
  kit.slots.value = new Map([
    [
      "agent.sidebar",
      [
        { key: "a/0", plugin: "a", order: 1, component: show },
        { key: "b/0", plugin: "b", order: 2, component: breaks(9) },
      ],
    ],
  ]);
  await flushPromises();
  expect(
    wrapper
      .findAll("[data-plugin]")
      .map((place) => place.attributes("data-plugin")),
  ).toEqual(["a", "b"]);
  expect(wrapper.get("[data-plugin=a]").text()).toBe("agt_1");
  expect(wrapper.get("[data-plugin=b]").text()).toContain(
    "A part of the plugin b failed",
  );
});

test("a component that has to be loaded shows that it is, and is tried again after a failure", async () => {
  const load = vi
    .fn<() => Promise<{ default: ReturnType<typeof breaks> }>>()
    .mockRejectedValueOnce(new Error("not there"))
    .mockResolvedValue({ default: breaks(0) });
  const { wrapper } = mountInKit(ErrorBoundary, {
    slots: { default: toComponent(load) },
  });
  expect(wrapper.get("[role=status]").text()).toBe("Loading");
  await flushPromises();
  expect(wrapper.get("[role=alert]").text()).toContain("not there");
  await wrapper.get("button").trigger("click");
  await flushPromises();
  expect(wrapper.text()).toBe("whole");
});

test("a quiet place shows nothing until its component is there, so that nothing round it moves", async () => {
  let resolve: (module: { default: Component }) => void = () => undefined;
  const promise = new Promise<{ default: Component }>((done) => {
    resolve = done;
  });
  const component = toComponent(() => promise);
  const entry = { key: "a/0", plugin: "a", order: 1, component };
  const mountPlace = (quiet: boolean) => {
    const { wrapper, kit } = mountInKit(SlotOutlet, {
      props: { name: "agent.questions", quiet },
    });
    kit.slots.value = new Map([["agent.questions", [entry]]]);
    return wrapper;
  };
  const quiet = mountPlace(true);
  const loud = mountPlace(false);
  await flushPromises();
  expect(quiet.get("[data-plugin]").element.children).toHaveLength(0);
  expect(loud.get("[role=status]").text()).toBe("Loading");
  resolve({ default: defineComponent({ render: () => h("p", "whole") }) });
  await flushPromises();
  expect(quiet.text()).toBe("whole");
});

test("an error names its code and request, and offers to try again", async () => {
  const { wrapper } = mountInKit(ErrorState, {
    props: { error: problem, title: "The notes could not be loaded" },
  });
  expect(wrapper.text()).toContain("The notes could not be loaded");
  expect(wrapper.text()).toContain("Something went wrong.");
  expect(wrapper.text()).toContain("INTERNAL · request req_7");
  await wrapper.get("button").trigger("click");
  expect(wrapper.emitted("retry")).toHaveLength(1);
});

test("a resource is shown in each of its states", async () => {
  const refresh = vi.fn(() => Promise.resolve());
  const resource = {
    data: ref<string[]>(),
    pending: ref(true),
    error: ref<ApiError>(),
    refresh,
  };
  const { wrapper } = mountInKit(ResourceView as unknown as Component, {
    props: { resource },
    slots: {
      default: ({ data }: { data: string[] }) => h("p", data.join()),
      empty: () => "empty",
    },
  });
  expect(wrapper.find("[role=status]").exists()).toBe(true);
  resource.error.value = problem;
  await nextTick();
  await wrapper.get("[role=alert] button").trigger("click");
  expect(refresh).toHaveBeenCalledOnce();
  resource.error.value = undefined;
  resource.data.value = [];
  await nextTick();
  expect(wrapper.text()).toBe("empty");
  resource.data.value = ["a", "b"];
  await nextTick();
  expect(wrapper.text()).toBe("a,b");
  resource.error.value = problem;
  await nextTick();
  expect(wrapper.get("[role=status]").text()).toContain(
    "This may be out of date: Something went wrong.",
  );
  expect(wrapper.get("p").text()).toBe("a,b");
});

test("a page sets the title and leads back", () => {
  const { wrapper, title } = mountInKit(PageShell, {
    props: { title: "Note", back: "/notes", backLabel: "notes" },
  });
  expect(title()).toBe("Note");
  expect(wrapper.get("h1").text()).toBe("Note");
  expect(wrapper.get("button").attributes()).toMatchObject({
    "aria-label": "Back to notes",
    to: "/notes",
  });
});

test("a question is answered once; a further one takes its place", async () => {
  const { result: confirm, kit } = runInKit(() => useConfirm());
  const first = confirm({ title: "One?", action: "Do" });
  const second = confirm({ title: "Two?", action: "Do" });
  expect(await first).toBe(false);
  expect(kit.confirmation.value?.title).toBe("Two?");
  kit.confirmation.value?.answer(true);
  expect(await second).toBe(true);
  expect(kit.confirmation.value).toBeUndefined();
});

test("a dialog wants the word typed before it does what cannot be undone", async () => {
  const typed = defineComponent({
    emits: ["update:modelValue"],
    setup: (_props, { emit }) => {
      return () =>
        h("input", {
          onInput: (event: Event) =>
            emit("update:modelValue", (event.target as HTMLInputElement).value),
        });
    },
  });
  const { wrapper } = mountInKit(ConfirmDialog, {
    props: { open: true, title: "Delete?", action: "Delete", type: "notes" },
    components: { UInput: typed },
  });
  const button = () =>
    wrapper.findAll("button").find((each) => each.text() === "Delete");
  expect(button()?.attributes("disabled")).toBeDefined();
  await wrapper.get("input").setValue("notes");
  expect(button()?.attributes("disabled")).toBeUndefined();
  await button()?.trigger("click");
  expect(wrapper.emitted("confirm")).toHaveLength(1);
});

test("toasts say why something failed, and nothing when it was given up", () => {
  const { result: toast, toasts } = runInKit(() => useToast());
  toast.failure("Not saved", problem);
  toast.failure("Not saved", new DOMException("given up", "AbortError"));
  toast.success("Saved");
  expect(toasts).toMatchObject([
    {
      title: "Not saved",
      detail: "Something went wrong. (request req_7)",
      tone: "failed",
    },
    { title: "Saved", tone: "success" },
  ]);
});

test("copying says that it did, or that the browser refused", async () => {
  const written: string[] = [];
  vi.spyOn(navigator.clipboard, "writeText").mockImplementation((text) => {
    if (text === "no") return Promise.reject(new Error("denied"));
    written.push(text);
    return Promise.resolve();
  });
  const good = mountInKit(CopyButton, {
    props: { text: "secret", label: "Copy it" },
  });
  await good.wrapper.get("button").trigger("click");
  await flushPromises();
  expect(written).toEqual(["secret"]);
  expect(good.wrapper.get("[role=status]").text()).toBe(
    "Copied to the clipboard",
  );
  const bad = mountInKit(CopyButton, { props: { text: "no" } });
  await bad.wrapper.get("button").trigger("click");
  await flushPromises();
  expect(bad.toasts).toMatchObject([{ tone: "failed" }]);
});

test("small ones say what they mean", () => {
  expect(
    mountInKit(StatusBadge, {
      props: { label: "Working", tone: "active", variant: "dot" },
    }).wrapper.text(),
  ).toBe("Working");
  expect(mountInKit(LocalTime, { props: { value: null } }).wrapper.text()).toBe(
    "never",
  );
  const time = mountInKit(LocalTime, {
    props: { value: new Date(Date.now() - 120_000).toISOString() },
  }).wrapper;
  expect(time.text()).toBe("2 min. ago");
  expect(time.get("time").attributes("title")).toMatch(/\d{2}:\d{2}:\d{2}/);
  const row = mountInKit(RowItem, {
    props: { title: "One", to: "/notes/one" },
  }).wrapper;
  expect(row.get("a[data-row-link]").attributes("href")).toBe("/notes/one");
  const secret = mountInKit(SecretReveal, {
    props: { value: "s3cret", label: "Webhook secret", done: "I kept it" },
  });
  expect((secret.wrapper.get("input").element as HTMLInputElement).value).toBe(
    "s3cret",
  );
});
