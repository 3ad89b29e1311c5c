import { reactive, watch } from "vue";
import { keepText, readKept } from "../agents/keptText.ts";
import { toPane, type PaneId } from "./panes.ts";

/** How the workspace of one agent is laid out. */
export interface WorkspaceLayout {
  /** The part that is shown beside the conversation, or was last. */
  pane: PaneId;
  isOpen: boolean;
  /** Share of the part, in percent of the width. */
  share: number;
  /** The parts follow what the agent does. */
  follows: boolean;
}

const initial: WorkspaceLayout = {
  pane: "changes",
  isOpen: true,
  share: 50,
  follows: true,
};
const keyOf = (agentId: string) => `gantry-agents-layout-${agentId}`;

/** The layout that this browser keeps for an agent. */
export function useWorkspaceLayout(agentId: string): WorkspaceLayout {
  const layout = reactive(readLayout(readKept(keyOf(agentId))));
  watch(layout, () => keepText(keyOf(agentId), JSON.stringify(layout)));
  return layout;
}

/** Forgets the layout of an agent that is gone. */
export function forgetLayout(agentId: string): void {
  keepText(keyOf(agentId), undefined);
}

/** Reads a layout as it was kept; what is missing or wrong in it is as in a new one. */
export function readLayout(text: string | undefined): WorkspaceLayout {
  let kept: Partial<Record<keyof WorkspaceLayout, unknown>>;
  try {
    kept = Object(JSON.parse(text ?? "{}"));
  } catch {
    kept = {};
  }
  const share = Number(kept.share);
  return {
    pane: toPane(kept.pane) ?? initial.pane,
    isOpen: typeof kept.isOpen === "boolean" ? kept.isOpen : initial.isOpen,
    share: share >= 20 && share <= 80 ? share : initial.share,
    follows: typeof kept.follows === "boolean" ? kept.follows : initial.follows,
  };
}
