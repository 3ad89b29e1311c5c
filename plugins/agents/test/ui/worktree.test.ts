import { afterEach, expect, test, vi } from "vitest";
import { nextTick, ref } from "vue";
import { describeFolder, toBranchName } from "../../ui/agents/folderName.ts";
import { placeProblem } from "../../ui/form/placeProblem.ts";
import { toSharingWords, usePlace } from "../../ui/form/usePlace.ts";
import type { Place } from "../../ui/wire.ts";
import { Refusal, startFakeDaemon } from "./support/fakeDaemon.ts";
import { api, mountPage } from "./support/kit.ts";

vi.mock("@gantry/ui-kit", () => import("./support/kit.ts"));
afterEach(() => vi.unstubAllGlobals());

const shop: Place = {
  repository: { root: "/work/shop", branch: "main", hasCommits: true },
  agents: [],
  setup: "npm ci",
};
const agent = (name: string, activity: "idle" | "working" | "waiting") =>
  ({ id: `agt_${name}`, name, activity, state: "open" }) as const;

/** A form in which a folder is typed. The daemon knows these places. */
function openForm(places: Record<string, Place>) {
  const folder = ref("");
  const daemon = startFakeDaemon({
    "GET /api/workspaces/place": ({ path }) =>
      places[new URL(path, "http://x").searchParams.get("path") ?? ""] ??
      new Refusal(400, "AGENT_FOLDER_INVALID"),
  });
  const page = mountPage(() => usePlace(() => folder.value));
  return {
    choice: page.result,
    folder,
    asked: () => daemon.requests.map(({ path }) => path.split("path=")[1]),
    [Symbol.dispose]: () => page[Symbol.dispose](),
  };
}

test("a folder is asked about once its typing has settled, and only if it is a whole path", async () => {
  using form = openForm({ "/work/shop": shop });
  for (const text of ["/", "/work", "/work/shop"]) {
    form.folder.value = text;
    await nextTick();
  }
  await vi.waitFor(() => expect(form.choice.isPossible.value).toBe(true));
  expect(form.asked()).toEqual(["%2Fwork%2Fshop"]);
  expect(form.choice.body.value).toBeNull();
  form.choice.isOn.value = true;
  expect(form.choice.body.value).toEqual({ branch: null, setup: "npm ci" });
  form.choice.branch.value = " tax ";
  form.choice.setup.value = " ";
  expect(form.choice.body.value).toEqual({ branch: "tax", setup: null });

  form.folder.value = "work/shop";
  await nextTick();
  expect(form.choice.isPossible.value).toBe(false);
  expect(form.choice.body.value).toBeNull();
  form.folder.value = "/work/shop";
  await vi.waitFor(() => expect(form.choice.isPossible.value).toBe(true));
  expect(new Set(form.asked())).toEqual(new Set(["%2Fwork%2Fshop"]));
});

test.each([
  ["no folder", undefined],
  ["in no repository", { ...shop, repository: null }],
  [
    "in a repository without a commit",
    { ...shop, repository: { root: "/a", branch: "main", hasCommits: false } },
  ],
])("nothing is offered for what is %s", async (_, place) => {
  using form = openForm(place ? { "/a": place, "/b": shop } : { "/b": shop });
  form.choice.isOn.value = true;
  form.folder.value = "/b";
  await vi.waitFor(() => expect(form.choice.isPossible.value).toBe(true));
  form.folder.value = "/a";
  await vi.waitFor(() => expect(form.asked()).toContain("%2Fa"));
  await vi.waitFor(() => expect(form.choice.isPossible.value).toBe(false));
  expect(form.choice.body.value).toBeNull();
});

test("it is on by itself where another agent works, until the user chooses", async () => {
  const agents = [agent("Ann", "idle"), agent("Ben", "waiting")];
  using form = openForm({
    "/work/shop": { ...shop, agents },
    "/work/quiet": { ...shop, agents: [agent("Ann", "idle")] },
  });
  form.folder.value = "/work/quiet";
  await vi.waitFor(() => expect(form.choice.isPossible.value).toBe(true));
  expect(form.choice.isOn.value).toBe(false);
  form.folder.value = "/work/shop";
  await vi.waitFor(() => expect(form.choice.isOn.value).toBe(true));
  expect(form.choice.others.value.map(({ name }) => name)).toEqual(["Ben"]);
  form.choice.isOn.value = false;
  expect(form.choice.body.value).toBeNull();
  expect(form.choice.others.value).toHaveLength(1);
});

test("the setup of another repository takes the place of what was typed for the last one", async () => {
  const other = { ...shop, setup: null };
  const repository = { root: "/work/b", branch: null, hasCommits: true };
  using form = openForm({ "/a": shop, "/b": { ...other, repository } });
  form.folder.value = "/a";
  await vi.waitFor(() => expect(form.choice.setup.value).toBe("npm ci"));
  form.choice.setup.value = "make";
  form.folder.value = "/b";
  await vi.waitFor(() => expect(form.choice.setup.value).toBe(""));
});

test.each([
  [1, "works in this folder too"],
  [2, "and 1 other work in this folder too"],
  [3, "and 2 others work in this folder too"],
])("the words for %i agents in a folder", (count, words) => {
  expect(toSharingWords(count)).toBe(words);
});

test.each(["WORKTREE_IMPOSSIBLE", "REVISION_INVALID"])(
  "%s stands at the branch",
  async (code) => {
    startFakeDaemon({ "POST /api/agents": () => new Refusal(409, code) });
    const refused = await api.post("/api/agents").catch(placeProblem);
    expect(refused).toMatchObject({
      code,
      errors: [{ path: "worktree.branch", message: `${code} is why.` }],
    });
  },
);

test("an agent with a worktree is told by its repository and branch", () => {
  const cwd = "/home/me/.gantry/worktrees/shop-1";
  const worktree = { repository: "/work/shop/", branch: "agent/tax" };
  expect(describeFolder({ cwd, worktree })).toBe("shop · agent/tax");
  expect(describeFolder({ cwd, worktree: null })).toBe("…/worktrees/shop-1");
});

test.each([
  ["Tax rates", "agent/tax-rates"],
  ["  Fix: #12 (again)", "agent/fix-12-again"],
  ["Größe für Zoë", "agent/grosse-fur-zoe"],
  ["x".repeat(60), `agent/${"x".repeat(48)}`],
  ["日本", undefined],
])("the branch for %s is %s", (name, branch) => {
  expect(toBranchName(name)).toBe(branch);
});
