import { afterEach, describe, expect, test, vi } from "vitest";
import { ref } from "vue";
import { Refusal } from "./support/fakeDaemon.ts";
import { git, openPane } from "./support/shippingPane.ts";
import { shippingState } from "./support/shippingState.ts";

vi.mock("@gantry/ui-kit", () => import("./support/kit.ts"));
afterEach(() => vi.unstubAllGlobals());

const HASH = "b".repeat(40);

describe("a commit", () => {
  const made = {
    ...{ hash: HASH, subject: "Add prices", command: "git commit" },
    output: "lint ok",
  };

  test("empties the message, says what was made, and reads everything again", async () => {
    using pane = openPane({ staged: 1 });
    await pane.ready();
    pane.daemon.routes[`POST ${git}/commit`] = () => made;
    pane.told.state = shippingState({ undo: made });
    const text = ref("Add prices\n");
    const done = pane.shipping.commit(text, false);
    expect(pane.shipping.running.value).toBe("commit");
    // One at a time.
    await pane.shipping.pushBranch();
    await done;
    expect(text.value).toBe("");
    expect(pane.shipping.outcome.value).toMatchObject({
      ...{ kind: "committed", hash: HASH, output: "lint ok" },
    });
    expect(pane.shipping.command.value).toBe("git commit");
    expect(pane.daemon.bodiesTo(`${git}/commit`)).toEqual([
      { message: "Add prices" },
    ]);
    expect(pane.daemon.bodiesTo(`${git}/push`)).toEqual([]);
    await vi.waitFor(() =>
      expect(pane.shipping.state.value?.undo?.hash).toBe(HASH),
    );
  });

  test("that a hook refuses keeps the message, shows what the hook printed, and can be made without hooks", async () => {
    const programs = { items: ["pre-commit hook"], required: [], mark: "m7" };
    using pane = openPane({
      staged: 1,
      programs: { ...programs, trusted: true },
    });
    await pane.ready();
    const { routes } = pane.daemon;
    routes[`POST ${git}/commit`] = () =>
      new Refusal(409, "GIT_HOOK_FAILED", { output: "1 test failed\n" });
    const text = ref("Add prices");
    await pane.shipping.commit(text, true);
    expect(text.value).toBe("Add prices");
    const failure = pane.shipping.failure.value!;
    expect(failure).toMatchObject({
      action: "commit",
      output: "1 test failed",
      error: { code: "GIT_HOOK_FAILED", detail: "GIT_HOOK_FAILED is why." },
    });

    routes[`POST ${git}/programs`] = () => ({ trusted: false });
    routes[`POST ${git}/commit`] = () => made;
    pane.told.state = shippingState({
      programs: { ...programs, trusted: false },
    });
    expect(await pane.shipping.trust(false)).toBe(true);
    // Known before the buttons can be pressed.
    expect(pane.shipping.state.value?.programs.trusted).toBe(false);
    await failure.again();
    expect(pane.daemon.bodiesTo(`${git}/programs`)).toEqual([
      { mark: "m7", trusted: false },
    ]);
    expect(pane.daemon.bodiesTo(`${git}/commit`).at(-1)).toEqual({
      message: "Add prices",
      all: true,
    });
    expect(pane.shipping.failure.value).toBeUndefined();
    expect(text.value).toBe("");
  });

  test("that is undone puts its message before what is written", async () => {
    using pane = openPane({ undo: { hash: HASH, subject: "Add prices" } });
    await pane.ready();
    pane.daemon.routes[`POST ${git}/undo-commit`] = () => ({
      ...{ message: "Add prices\n\nWhy.\n", command: "git reset" },
    });
    const text = ref("more");
    await pane.shipping.undo(text);
    expect(text.value).toBe("Add prices\n\nWhy.\n\nmore");
    expect(pane.shipping.outcome.value).toEqual({
      kind: "undone",
      subject: "Add prices",
    });
    expect(pane.shipping.command.value).toBe("git reset");
    expect(pane.daemon.bodiesTo(`${git}/undo-commit`)).toEqual([
      { hash: HASH },
    ]);
  });
});

test("a push that is refused can be tried again, and says where it went", async () => {
  using pane = openPane();
  await pane.ready();
  const { routes } = pane.daemon;
  routes[`POST ${git}/push`] = () => new Refusal(502, "GIT_REMOTE_UNREACHABLE");
  await pane.shipping.pushBranch();
  routes[`POST ${git}/push`] = () => ({
    ...{ remote: "origin", branch: "feature", command: "git push" },
    output: "",
  });
  await pane.shipping.failure.value?.again();
  expect(pane.shipping.failure.value).toBeUndefined();
  expect(pane.shipping.outcome.value).toEqual({
    ...{ kind: "pushed", to: "origin/feature", output: "" },
  });
  expect(pane.shipping.command.value).toBe("git push");
});

test("programs that have changed since are not trusted, and refreshing shows the new ones", async () => {
  using pane = openPane();
  await pane.ready();
  pane.daemon.routes[`POST ${git}/programs`] = () =>
    new Refusal(409, "GIT_PROGRAMS_CHANGED");
  expect(await pane.shipping.trust(true)).toBe(false);
  expect(pane.shipping.failure.value?.error.code).toBe("GIT_PROGRAMS_CHANGED");
  const programs = { items: ["x"], required: [], trusted: false, mark: "m2" };
  pane.told.state = shippingState({ programs });
  await pane.shipping.refresh();
  expect(pane.shipping.failure.value).toBeUndefined();
  expect(pane.shipping.state.value?.programs.mark).toBe("m2");
});

test("a folder without a repository has nothing to ship", async () => {
  using pane = openPane();
  await pane.ready();
  pane.daemon.routes[`GET ${git}/shipping`] = () => ({ git: false });
  await pane.shipping.refresh();
  expect(pane.shipping.resource.data.value).toEqual({ git: false });
  expect(pane.shipping.state.value).toBeUndefined();
});
