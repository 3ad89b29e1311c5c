import { watch, type Ref } from "vue";
import type { AgentActivity } from "./useActivity.ts";
import type { Workspace } from "./useWorkspace.ts";

/**
 * Lets the part beside the conversation show what the agent does, while the user wants that.
 *
 * @param isReady Whether the conversation was read: the steps in it by then are past.
 */
export function useFollow(
  workspace: Workspace,
  { latest }: AgentActivity,
  isReady: Readonly<Ref<boolean>>,
): void {
  watch(
    () => ({ id: latest.value?.id, isReady: isReady.value }),
    ({ id }, before) => {
      const { layout, isWide, pane } = workspace;
      // A step may have ended before the page knew that it runs.
      if (!before.isReady || id === before.id || !latest.value) return;
      if (!layout.follows || !isWide.value || !pane.value) return;
      if (workspace.isUnsaved.value || isTypedInto()) return;
      const { view, path } = latest.value;
      if (view.command !== undefined) workspace.follow("terminal");
      else if (path !== undefined && view.kind !== "read")
        workspace.follow(pane.value === "files" ? "files" : "changes", {
          path,
        });
    },
  );
}

/** Whether the user types into the part, such as in a terminal or a comment. */
function isTypedInto(): boolean {
  const field = document.activeElement;
  return (
    field?.closest("[data-workspace-part]") != null &&
    field.matches("input, textarea, [contenteditable='true']")
  );
}
