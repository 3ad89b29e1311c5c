import { computed, type ComputedRef } from "vue";
import type { ToolCall } from "../conversation/rows.ts";
import type { Conversation } from "../conversation/useConversation.ts";
import { describeTool, type ToolView } from "../tools/describeTool.ts";
import type { Entry } from "../wire.ts";
import { toFolderPath } from "./toFolderPath.ts";

/** A step of an agent that the parts of the workspace can show. */
export interface Activity {
  /** Of the tool call. */
  id: string;
  view: ToolView;
  /** What it gave so far. */
  output: string;
  state: ToolCall["state"];
  /** The file that it is about, from the agent's folder on; `undefined` if it is none in there. */
  path: string | undefined;
}

/** What an agent does, as far as it can be shown beside the conversation. */
export interface AgentActivity {
  /** The step that runs and began last. */
  readonly now: ComputedRef<Activity | undefined>;
  /** The step that began last, whether it runs or has ended. */
  readonly latest: ComputedRef<Activity | undefined>;
  /** The command that runs, or that ran last. */
  readonly command: ComputedRef<Activity | undefined>;
  /** Changes with each step that has ended. */
  readonly ended: ComputedRef<string | undefined>;
}

/** Entries in which the last command is looked for. */
const mostSearched = 500;

/** Reads from a conversation what its agent does in its folder. */
export function useActivity(
  { state, entries }: Conversation,
  folder: () => string | undefined,
): AgentActivity {
  function toActivity(
    id: string,
    call: Pick<ToolCall, "name" | "title" | "input" | "output" | "state">,
  ): Activity {
    const view = describeTool({ ...call, truncated: false });
    const root = folder();
    const file = view.diffs[0]?.path ?? view.subject;
    const isFile = ["edit", "write", "read"].includes(view.kind);
    return {
      id,
      view,
      output: call.output,
      state: call.state,
      path: isFile && root !== undefined ? toFolderPath(root, file) : undefined,
    };
  }
  const running = computed(() =>
    state.value.growing.flatMap((growing) =>
      growing.type === "tool"
        ? toActivity(growing.id, { ...growing.tool, state: "running" })
        : [],
    ),
  );
  const lastCommand = computed(() => {
    for (const entry of entries.value.slice(-mostSearched).toReversed()) {
      if (entry.kind !== "tool") continue;
      const activity = toActivity(entry.id, toCall(entry));
      if (activity.view.command !== undefined) return activity;
    }
    return undefined;
  });
  const lastEnded = computed(() => {
    const entry = entries.value.findLast(({ kind }) => kind === "tool");
    return entry && toActivity(entry.id, toCall(entry));
  });
  return {
    latest: computed(() => running.value.at(-1) ?? lastEnded.value),
    now: computed(() => running.value.at(-1)),
    command: computed(
      () =>
        running.value.findLast(({ view }) => view.command !== undefined) ??
        lastCommand.value,
    ),
    ended: computed(() => lastEnded.value?.id),
  };
}

function toCall({ tool, text, incomplete }: Entry) {
  return {
    name: tool?.name ?? "tool",
    title: tool?.title ?? "",
    input: tool?.input ?? "",
    output: text,
    state: incomplete ? "stopped" : tool?.failed ? "failed" : "done",
  } as const;
}
