import { api, useEvents, useToast } from "@gantry/ui-kit";
import { computed, shallowRef, watch, type ComputedRef, type Ref } from "vue";
import type { Entry, ListOf } from "../wire.ts";
import { findReply } from "./findReply.ts";
import { keepMessage, readMessage } from "./keptMessage.ts";
import { askForMessage, toMessage } from "./prompts.ts";
import type { AgentRequests } from "./useAgentRequests.ts";

/** The message of the next commit, which the user or the agent writes. */
export interface CommitMessage {
  /** Kept by the browser until it is committed. */
  readonly text: Ref<string>;
  /** The agent was asked for it and has not answered yet. */
  readonly isDrafting: ComputedRef<boolean>;
  /** Asks the agent for it. */
  draft(isStaged: boolean): Promise<void>;
  /** Takes no answer any more. */
  stopDrafting(): void;
  /** What the agent's message took the place of, if it did. */
  readonly replaced: Readonly<Ref<string | undefined>>;
  /** Puts that back. */
  restore(): void;
}

/** Enough for all steps of a turn that reads a few diffs. */
const pageSize = 100;

/** Makes the message of an agent's next commit. */
export function useCommitMessage(
  agentId: string,
  requests: AgentRequests,
): CommitMessage {
  const toast = useToast();
  const kept = readMessage(agentId);
  const text = shallowRef(kept.text);
  const asked = shallowRef(kept.asked);
  const isSending = shallowRef(false);
  const replaced = shallowRef<string>();
  const ended = new Set<string>();
  let isReading = false;
  let isOutdated = false;
  watch(
    [text, asked],
    () => keepMessage(agentId, { text: text.value, asked: asked.value }),
    { flush: "sync" },
  );

  /** Takes the answer, if it is there. What was asked is known by its task, so that nothing is lost with the page. */
  async function collect(taskId: string): Promise<void> {
    try {
      const { items } = await api.get<ListOf<Entry>>(
        `/api/agents/${agentId}/messages`,
        { query: { limit: pageSize } },
      );
      const isIdle = requests.agent.value?.activity === "idle";
      const reply = findReply(items, taskId, { ended, isIdle });
      if (reply === undefined || asked.value !== taskId) return;
      asked.value = undefined;
      take(toMessage(reply));
    } catch {
      // The next event of the agent asks again.
    }
  }

  /** What happens while the conversation is being read may not be in what is read. */
  async function look(): Promise<void> {
    isOutdated = true;
    if (isReading) return;
    isReading = true;
    while (isOutdated && asked.value !== undefined) {
      isOutdated = false;
      await collect(asked.value);
    }
    isReading = false;
  }

  function take(message: string): void {
    if (message === "")
      return void toast.show({
        title: "The agent wrote no message",
        tone: "failed",
      });
    replaced.value = text.value.trim() === "" ? undefined : text.value;
    text.value = message;
  }

  watch(requests.agent, () => void look(), { immediate: true });
  useEvents<{ turnId: string }>(
    ["agents.turn-finished"],
    ({ subject, data }) => {
      if (subject !== agentId) return;
      ended.add(data.turnId);
      void look();
    },
  );

  return {
    text,
    replaced,
    isDrafting: computed(() => isSending.value || asked.value !== undefined),
    async draft(isStaged) {
      isSending.value = true;
      asked.value = await requests.ask(askForMessage(isStaged, text.value));
      isSending.value = false;
      // A short turn may have ended before the request was answered.
      void look();
    },
    stopDrafting: () => (asked.value = undefined),
    restore() {
      text.value = replaced.value ?? text.value;
      replaced.value = undefined;
    },
  };
}
