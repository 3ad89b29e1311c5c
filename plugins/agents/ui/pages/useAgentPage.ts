import { useResource, type Resource } from "@gantry/ui-kit";
import { computed, ref, shallowRef, type ComputedRef, type Ref } from "vue";
import { toShortTitle } from "../agents/toShortTitle.ts";
import { useClis } from "../agents/useClis.ts";
import { useStopTurn } from "../agents/useStopTurn.ts";
import {
  useTurnContinuation,
  type TurnContinuation,
} from "../conversation/turnContinuation.ts";
import type { SendChoice } from "../composer/sendChoices.ts";
import { useDraft } from "../composer/useDraft.ts";
import { useQueue, type Queue } from "../composer/useQueue.ts";
import { useShell, type Shell } from "../composer/useShell.ts";
import { useSender, type Message, type Sender } from "../composer/useSender.ts";
import {
  useConversation,
  type Conversation,
} from "../conversation/useConversation.ts";
import {
  useAgentActions,
  type AgentActions,
} from "../panel/useAgentActions.ts";
import type { Agent, Cli, PlanItem, Task } from "../wire.ts";

/** State and actions of the page of an agent. */
export interface AgentPage {
  readonly agent: Resource<Agent>;
  readonly cli: ComputedRef<Cli | undefined>;
  readonly conversation: Conversation;
  readonly queue: Queue;
  readonly sender: Sender;
  readonly actions: AgentActions;
  readonly draft: Ref<string>;
  readonly running: ComputedRef<boolean>;
  readonly stopping: ComputedRef<boolean>;
  /** The last message of the user. */
  readonly lastMessage: ComputedRef<string>;
  /** Runs shell commands of the user in the agent's folder. */
  readonly shell: Shell;
  /** The plan of the agent. */
  readonly plan: ComputedRef<readonly PlanItem[]>;
  /** Status of a message in flight. */
  readonly sendingStatus: ComputedRef<string>;
  /** Continues the turn that was cut off. */
  readonly continuation: TurnContinuation;
  /** An action held until the folder is trusted. */
  readonly held: Ref<HeldAction | undefined>;
  /** Whether the page follows the events of the agent. */
  readonly following: Ref<boolean>;
  send(message: Message, kind: SendChoice["kind"]): Promise<boolean>;
  stop(): void;
  trust(): Promise<void>;
  /** Moves a queued message back into the composer. */
  takeBack(task: Task): Promise<void>;
}

/** An action that was rejected because the folder is not trusted. */
export interface HeldAction {
  /** Label of the button that trusts the folder and runs the action. */
  action: string;
  run(): Promise<unknown>;
}

/** Creates the state of the page of an agent. */
export function useAgentPage(agentId: string): AgentPage {
  const following = ref(true);
  const agent = useResource<Agent>(`/api/agents/${agentId}`, {
    refreshOn: ["agents.agent-changed", "agents.agent-deleted"],
    // Not after a deletion from this page, where the response would be a 404.
    refreshIf: ({ subject }) => subject === agentId && following.value,
  });
  const clis = useClis();
  const draft = useDraft(agentId);
  const queue = useQueue(agentId);
  const checklist = useResource<{ items: PlanItem[] }>(
    `/api/agents/${agentId}/checklist`,
  );
  const shell = useShell(agentId);
  const held = shallowRef<HeldAction>();
  const { stopping, stop } = useStopTurn();
  const nameOf = () => agent.data.value?.name ?? "The agent";

  const conversation = useConversation(agentId, following, {
    // The stream is faster than the `agents.agent-changed` event.
    state: (change) => {
      if (agent.data.value) agent.replace({ ...agent.data.value, ...change });
    },
    task: queue.refresh,
    checklist: (items) => checklist.replace(items),
  });
  const sender = useSender(agentId, conversation.entries, queue.tasks);
  const actions = useAgentActions(agentId, nameOf, (changed) => {
    if (changed) agent.replace(changed);
    else void agent.refresh();
  });
  const continuation = useTurnContinuation(agentId, agent, (error) => {
    actions.untrusted.value = error;
    held.value = { action: "Trust and continue", run: continuation.run };
  });
  const cli = computed(() =>
    agent.data.value ? clis.find(agent.data.value.cli) : undefined,
  );

  async function send(
    message: Message,
    kind: SendChoice["kind"],
  ): Promise<boolean> {
    held.value = undefined;
    // Clears the draft now; it is restored below if the message is rejected.
    const text = draft.value;
    if (text === message.text) draft.value = "";
    if (await sender.send(message, kind)) return true;
    draft.value = draft.value === "" ? message.text : draft.value;
    const error = sender.error.value;
    if (error?.code === "AGENT_TRUST_REQUIRED") {
      sender.error.value = undefined;
      actions.untrusted.value = error;
      held.value = {
        action: "Trust and send",
        async run() {
          if (draft.value === message.text) draft.value = "";
          await send(message, kind);
        },
      };
    }
    return false;
  }

  return {
    agent,
    cli,
    conversation,
    queue,
    sender,
    actions,
    draft,
    shell,
    continuation,
    plan: computed(() => checklist.data.value?.items ?? []),
    held,
    following,
    send,
    running: computed(() => conversation.state.value.turn !== null),
    stopping: computed(() => stopping.value.has(agentId)),
    lastMessage: computed(
      () =>
        conversation.entries.value.findLast(
          ({ role, kind }) => role === "user" && kind === "text",
        )?.text ?? "",
    ),
    sendingStatus: computed(() =>
      agent.data.value?.state === "closed"
        ? `Starting ${cli.value ? toShortTitle(cli.value) : agent.data.value.cli}`
        : "Sending",
    ),
    stop: () => void stop({ id: agentId, name: nameOf() }),
    async trust() {
      const action = held.value;
      if (!(await actions.trust())) return;
      held.value = undefined;
      await action?.run();
    },
    async takeBack(task) {
      if (!(await queue.cancel(task))) return;
      const { message } = task.payload;
      draft.value =
        draft.value === "" ? message : `${message}\n\n${draft.value}`;
    },
  };
}
