import { afterEach, describe, expect, test, vi } from "vitest";
import { nameDiscard } from "../../ui/shipping/useDiscarding.ts";
import type { Discard } from "../../ui/shipping/wire.ts";
import { Refusal } from "./support/fakeDaemon.ts";
import { a, b, change, HUNKS, openPane } from "./support/stagingPane.ts";

vi.mock("@gantry/ui-kit", () => import("./support/kit.ts"));
afterEach(() => vi.unstubAllGlobals());

const RESTORE = "/api/agents/agt_1/turn-changes/trn_1/restore";
const DISCARD = "/api/agents/agt_1/git/discard";

const discard = (fields: Partial<Discard> = {}): Discard => ({
  ...{ undoId: "trn_1", at: "2026-03-01T00:00:00Z" },
  ...{ paths: ["a.ts"], isHunk: false },
  ...fields,
});

describe("what is discarded", () => {
  test("is a hunk or a file, one after the other, and the same one once", async () => {
    using pane = openPane([change("a.ts"), change("b.ts")]);
    await pane.ready();
    const { discarding, staging } = pane;
    discarding.discardHunk(a, 1);
    discarding.discardHunk(a, 1);
    discarding.discardFile(b);
    expect(staging.isBusy.value).toBe(true);
    await vi.waitFor(() => expect(staging.isBusy.value).toBe(false));
    const [header, lines] = HUNKS[1];
    expect(pane.daemon.bodiesTo(DISCARD)).toEqual([
      { hunk: { path: "a.ts", header, lines } },
      { paths: ["b.ts"] },
    ]);
  });

  test("is undone, and written over only if the user says so", async () => {
    using pane = openPane([change("a.ts")]);
    pane.discards.push(discard());
    await pane.ready();
    const { discarding } = pane;
    await vi.waitFor(() => expect(discarding.discards.value).toHaveLength(1));
    pane.daemon.routes[`POST ${RESTORE}`] = () =>
      new Refusal(409, "FILES_CHANGED_SINCE");
    await discarding.undo();
    expect(pane.failures.map(({ code }) => code)).toEqual([
      "FILES_CHANGED_SINCE",
    ]);
    expect(discarding.undone.value).toBeUndefined();
    pane.daemon.routes[`POST ${RESTORE}`] = () => {
      pane.discards.pop();
      return { files: [] };
    };
    await pane.failures[0]!.overwrite!();
    expect(pane.daemon.bodiesTo(RESTORE)).toEqual([{}, { overwrite: true }]);
    expect(discarding.undone.value).toMatchObject({ undoId: "trn_1" });
    expect(discarding.discards.value).toEqual([]);
    expect(discarding.isUndoing.value).toBe(false);
  });

  test("is nothing in a submodule or in conflict, and no hunk of a new file", async () => {
    using pane = openPane([
      change("a.ts", { kind: "conflicted" }),
      change("b.ts", { submodule: "b" }),
      change("new.ts", { kind: "untracked" }),
    ]);
    await pane.ready();
    const { discarding } = pane;
    expect(["a.ts", "b.ts", "new.ts", "x"].map(discarding.canDiscard)).toEqual([
      ...[false, false, true, false],
    ]);
    const added = { ...a, path: "new.ts", kind: "added" as const };
    expect(discarding.hasHunks(added)).toBe(false);
  });
});

test.each([
  [{}, "the changes in a.ts"],
  [{ isHunk: true }, "a change in a.ts"],
  [
    { paths: ["a\u202E.ts", "b"] },
    "the changes in a⟨U+202E⟩.ts and other files",
  ],
])("a discard %j is called %j", (fields, words) => {
  expect(nameDiscard(discard(fields))).toBe(words);
});
