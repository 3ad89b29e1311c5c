import { flushPromises } from "@vue/test-utils";
import { expect, test } from "vitest";
import { defineComponent, h, type VNodeChild } from "vue";
import {
  ApiError,
  FormField,
  FormProblem,
  useSubmit,
  type InputIssue,
  type Submit,
} from "../src/index.ts";
import { mountInKit } from "./support/mountInKit.ts";

function refusal(errors: InputIssue[]): ApiError {
  return new ApiError({
    status: 400,
    code: "BAD_INPUT",
    title: "Bad input",
    detail: "Two fields are wrong.",
    errors,
  });
}

function mountForm(work: () => Promise<unknown>, fields: () => VNodeChild[]) {
  let form: Submit<unknown> | undefined;
  const mounted = mountInKit(
    defineComponent({
      setup() {
        form = useSubmit(work);
        return () => h("form", [...fields(), h(FormProblem)]);
      },
    }),
  );
  return { ...mounted, form: form! };
}

const field = (name: string, props: Record<string, unknown> = {}) =>
  h(FormField, { name, ...props }, () =>
    h("input", { class: name.replaceAll(".", "-") }),
  );

test("what the daemon found wrong stands at its field until the field is changed", async () => {
  const issues = [
    { path: "title", message: "is too long" },
    { path: "schedules.0.time", message: "is no time" },
  ];
  const { form, wrapper } = mountForm(
    () => Promise.reject(refusal(issues)),
    () => [field("title"), field("schedules")],
  );
  expect(await form.submit()).toBeUndefined();
  await flushPromises();
  expect(wrapper.get("[data-name=title] em").text()).toBe("is too long");
  expect(wrapper.get("[data-name=schedules] em").text()).toBe("is no time");
  expect(wrapper.find("[role=alert]").exists()).toBe(false);
  await wrapper.get("input.title").trigger("input");
  expect(wrapper.get("[data-name=title] em").text()).toBe("");
  expect(wrapper.get("[data-name=schedules] em").text()).toBe("is no time");
});

test("what no field shows stands in one place, with the reason", async () => {
  const { form, wrapper } = mountForm(
    () => Promise.reject(refusal([{ path: "titles", message: "is unknown" }])),
    () => [field("title")],
  );
  await form.submit();
  await flushPromises();
  expect(wrapper.get("[data-name=title] em").text()).toBe("");
  expect(wrapper.get("[role=alert]").text()).toContain("Two fields are wrong.");
  expect(wrapper.get("[role=alert] li").text()).toBe("titles is unknown");
});

test("what the page itself knows goes before", async () => {
  const { form, wrapper } = mountForm(
    () => Promise.reject(refusal([{ path: "title", message: "is too long" }])),
    () => [field("title", { error: "Fill this in" })],
  );
  await form.submit();
  await flushPromises();
  expect(wrapper.get("em").text()).toBe("Fill this in");
});

test("a form is sent once at a time, and forgets its errors when it is sent again", async () => {
  let calls = 0;
  let settle: (outcome: unknown) => void = () => undefined;
  const { form } = mountForm(
    () => {
      calls += 1;
      return new Promise((resolve, reject) => {
        settle = (outcome) =>
          outcome instanceof Error ? reject(outcome) : resolve(outcome);
      });
    },
    () => [],
  );
  const first = form.submit();
  expect(await form.submit()).toBeUndefined();
  expect(form.pending.value).toBe(true);
  settle(refusal([]));
  await first;
  expect(form.error.value?.code).toBe("BAD_INPUT");
  const second = form.submit();
  expect(form.error.value).toBeUndefined();
  settle("done");
  expect(await second).toBe("done");
  expect(calls).toBe(2);
});
