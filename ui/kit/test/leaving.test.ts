import { expect, test, vi } from "vitest";
import { defineComponent, effectScope, h, nextTick, ref } from "vue";
import { RouterView } from "vue-router";
import { useLeaveGuard, useSettled } from "../src/index.ts";
import { mountInKit } from "./support/mountInKit.ts";

test("a page whose changes are not saved is left when that was confirmed", async () => {
  const isDirty = ref(true);
  const page = defineComponent({
    setup() {
      useLeaveGuard(() => isDirty.value, { body: "It is not saved." });
      return () => h("p");
    },
  });
  const { kit, router } = mountInKit(
    defineComponent({ setup: () => () => h(RouterView) }),
  );
  router.addRoute({ path: "/page", component: page });
  await router.push("/page");
  await nextTick();
  const path = () => router.currentRoute.value.path;

  const stays = router.push("/elsewhere");
  await vi.waitFor(() =>
    expect(kit.confirmation.value).toMatchObject({
      title: "Leave without saving?",
      body: "It is not saved.",
    }),
  );
  const unload = new Event("beforeunload", { cancelable: true });
  window.dispatchEvent(unload);
  expect(unload.defaultPrevented).toBe(true);
  kit.confirmation.value!.answer(false);
  await stays;
  expect(path()).toBe("/page");

  const leaves = router.push("/elsewhere");
  await vi.waitFor(() => expect(kit.confirmation.value).toBeDefined());
  kit.confirmation.value!.answer(true);
  await leaves;
  expect(path()).toBe("/elsewhere");

  await router.push("/page");
  await nextTick();
  isDirty.value = false;
  await router.push("/elsewhere");
  expect(kit.confirmation.value).toBeUndefined();
});

test("a value follows another once that rests, and no more after the end", async () => {
  vi.useFakeTimers();
  try {
    const source = ref("a");
    const scope = effectScope();
    const settled = scope.run(() => useSettled(() => source.value, 100))!;
    const type = async (text: string, ms: number) => {
      source.value = text;
      await vi.advanceTimersByTimeAsync(ms);
    };
    await type("ab", 99);
    expect(settled.value).toBe("a");
    await type("abc", 99);
    expect(settled.value).toBe("a");
    await vi.advanceTimersByTimeAsync(1);
    expect(settled.value).toBe("abc");
    await type("abcd", 50);
    scope.stop();
    await vi.advanceTimersByTimeAsync(100);
    expect(settled.value).toBe("abc");
  } finally {
    vi.useRealTimers();
  }
});
