import { vi, expect } from "vitest";
import { shallowRef, watch } from "vue";
import { parsePatch } from "../../../ui/repository/parsePatch.ts";
import { useStatus } from "../../../ui/repository/useStatus.ts";
import type { Diff, FileChange } from "../../../ui/repository/wire.ts";
import { useDiscarding } from "../../../ui/shipping/useDiscarding.ts";
import { useStaging } from "../../../ui/shipping/useStaging.ts";
import type { Shipping } from "../../../ui/shipping/useShipping.ts";
import type {
  Discard,
  ShippingAnswer,
  StagedPart,
} from "../../../ui/shipping/wire.ts";
import { startFakeDaemon } from "./fakeDaemon.ts";
import { mountPage, useResource } from "./kit.ts";

/** Two hunks of `a.ts`, as git prints them. */
export const HUNKS = [
  ["@@ -1,3 +1,3 @@", " one\n-two\n+TWO\n three\n"],
  [
    "@@ -20,2 +20,3 @@ export function last() {",
    " twenty\r\n+added\r\n last\n\\ No newline at end of file\n",
  ],
] as const;
export const PATCH = `diff --git a/a.ts b/a.ts
--- a/a.ts
+++ b/a.ts
${HUNKS.map(([header, lines]) => `${header}\n${lines}`).join("")}diff --git a/b.ts b/b.ts
--- a/b.ts
+++ b/b.ts
@@ -1 +1 @@
-b
+B
`;
const files = parsePatch(PATCH);
export const [a, b] = [files[0]!, files[1]!];

/** A change of a file, as the status has it. */
export function change(
  path: string,
  fields: Partial<FileChange> = {},
): FileChange {
  return {
    path,
    ...{ from: null, kind: "modified", submodule: null },
    ...{ staged: false, partlyStaged: false, additions: 1, deletions: 1 },
    ...fields,
  };
}

/** A changes pane over a repository that stages and discards what it is told to. */
export function openPane(
  items: FileChange[],
  staged: { [path: string]: StagedPart[] } = {},
) {
  const mark = { key: "1", token: "1" };
  const status = { git: true, repositories: [], notices: [], items, mark };
  const discards: Discard[] = [];
  const daemon = startFakeDaemon({
    "GET /api/agents/agt_1/git/head": () => ({ git: true, ...mark }),
    "GET /api/agents/agt_1/gitstatus": () => status,
    "GET /api/agents/agt_1/git/shipping": () => ({ git: false }),
    "GET /api/agents/agt_1/gitdiff": () => ({
      ...{ git: true, path: null, patch: PATCH, truncated: false, notices: [] },
      staged: Object.entries(staged).map(([path, hunks]) => ({ path, hunks })),
    }),
    "POST /api/agents/agt_1/git/stage": () => ({ command: "git add" }),
    "GET /api/agents/agt_1/git/discards": () => ({ items: discards }),
    "POST /api/agents/agt_1/git/discard": () => ({ undoId: "trn_1" }),
    "POST /api/agents/agt_1/turn-changes/trn_1/restore": () => ({ files: [] }),
  });
  const failures: {
    code: string;
    again: () => Promise<void>;
    overwrite: (() => Promise<void>) | undefined;
  }[] = [];
  const page = mountPage(() => {
    const own = useStatus(
      "agt_1",
      () => undefined,
      () => true,
    );
    const diff = useResource<Diff>("/api/agents/agt_1/gitdiff");
    watch(own.revision, () => void diff.refresh(), { flush: "sync" });
    const shipping = useResource<ShippingAnswer>(
      "/api/agents/agt_1/git/shipping",
    );
    const problems: Pick<Shipping, "fail" | "forgetFailure"> = {
      fail: (_action, thrown, again, overwrite) =>
        failures.push({
          ...{ code: (thrown as { code: string }).code, again, overwrite },
        }),
      forgetFailure: () => (failures.length = 0),
    };
    const command = shallowRef<string>();
    const staging = useStaging("agt_1", own, diff, {
      ...{ resource: shipping, command, ...problems },
    });
    const discarding = useDiscarding("agt_1", own, staging, problems);
    return { staging, discarding, diff, command, status: own };
  });
  return {
    ...page.result,
    [Symbol.dispose]: () => page[Symbol.dispose](),
    daemon,
    failures,
    discards,
    /** What the daemon says from now on. */
    become(next: FileChange[]) {
      status.items = next;
    },
    async ready() {
      await vi.waitFor(() => {
        expect(page.result.status.repository.value).toBeDefined();
        expect(page.result.diff.data.value).toBeDefined();
      });
    },
    staged: () => daemon.bodiesTo("/api/agents/agt_1/git/stage"),
  };
}
