import { useConfirm, useResource, type Resource } from "@gantry/ui-kit";
import {
  computed,
  ref,
  shallowRef,
  watch,
  type ComputedRef,
  type Ref,
} from "vue";
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

/** Everything that the page of an agent shows and does. */
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
  /** What the reader said last. */
  readonly lastSaid: ComputedRef<string>;
  /** Commands that the reader runs in the agent's folder. */
  readonly shell: Shell;
  /** The steps that the agent wants to take. */
  readonly plan: ComputedRef<readonly PlanItem[]>;
  /** What a message that is on its way waits for. */
  readonly sendingWords: ComputedRef<string>;
  /** Continues a turn that was cut off. */
  readonly continuation: TurnContinuation;
  /** What waits until the folder is trusted. */
  readonly held: Ref<HeldWork | undefined>;
  /** Whether the page follows the agent as it works. It does not while the user deletes the agent. */
  readonly following: Ref<boolean>;
  send(message: Message, kind: SendChoice["kind"]): Promise<boolean>;
  /** Stops the turn, and puts messages that wait for its end back into the composer. */
  stop(): void;
  trust(): Promise<void>;
  /** Takes a message out of the queue and back into the composer. */
  takeBack(task: Task): Promise<void>;
}

/** What was refused because the folder is not trusted. */
export interface HeldWork {
  /** What the button says that trusts the folder and does the work. */
  action: string;
  run(): Promise<unknown>;
}

/** Puts together what the page of an agent needs. */
export function useAgentPage(agentId: string): AgentPage {
  const following = ref(true);
  const agent = useResource<Agent>(`/api/agents/${agentId}`, {
    refreshOn: ["agents.agent-changed", "agents.agent-deleted"],
    refreshIf: ({ subject }) => subject === agentId && following.value,
  });
  const draft = useDraft(agentId);
  const shell = useShell(agentId);
  const confirm = useConfirm();
  const held = shallowRef<HeldWork>();
  const { stopping, stop } = useStopTurn();
  // Of an agent that could not be deleted, what was missed meanwhile is read.
  watch(following, (is) => {
    if (is) void agent.refresh();
  });
  const nameOf = () => agent.data.value?.name ?? "The agent";

  // Before all the others: a browser sends few requests at a time.
  const conversation = useConversation(agentId, following, {
    // Sooner than the event of the daemon, which comes with everything else that changed.
    state: (change) => {
      if (agent.data.value) agent.replace({ ...agent.data.value, ...change });
    },
    task: () => queue.refresh(),
    checklist: (told) => checklist.replace(told),
  });
  const queue = useQueue(agentId);
  const checklist = useResource<{ items: PlanItem[] }>(
    `/api/agents/${agentId}/checklist`,
  );
  const clis = useClis();
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

  /** Asks before a message is paid for that its agent does not understand. */
  async function mayStartAnew(): Promise<boolean> {
    if (!agent.data.value?.isMemoryLost) return true;
    return await confirm({
      title: "Start over without memory?",
      body: `${agent.data.value.cli} has no record of this conversation, so it does not know what was said before.`,
      action: "Send and start over",
    });
  }

  async function send(
    message: Message,
    kind: SendChoice["kind"],
  ): Promise<boolean> {
    if (!(await mayStartAnew())) {
      if (draft.value === "") draft.value = message.text;
      return false;
    }
    held.value = undefined;
    // The draft is kept in the browser until the daemon has the message.
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

  function writeAgain({ payload: { message } }: Task): void {
    draft.value = draft.value === "" ? message : `${message}\n\n${draft.value}`;
  }

  /** What the user has queued would begin the next turn at once, so it goes back into the composer. */
  async function stopAll(): Promise<void> {
    const own = queue.waiting.value.filter(
      ({ source, status, payload }) =>
        source === "composer" && status === "queued" && payload.images === 0,
    );
    const taken = await Promise.all(own.map((task) => queue.cancel(task)));
    for (const task of own.filter((_, index) => taken[index]).toReversed())
      writeAgain(task);
    await stop({ id: agentId, name: nameOf() });
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
    lastSaid: computed(
      () =>
        conversation.entries.value.findLast(
          ({ role, kind }) => role === "user" && kind === "text",
        )?.text ?? "",
    ),
    sendingWords: computed(() =>
      agent.data.value?.state === "closed"
        ? `Starting ${cli.value ? toShortTitle(cli.value) : agent.data.value.cli}`
        : "Sending",
    ),
    stop: () => void stopAll(),
    async trust() {
      const waiting = held.value;
      if (!(await actions.trust())) return;
      held.value = undefined;
      await waiting?.run();
    },
    async takeBack(task) {
      if (await queue.cancel(task)) writeAgain(task);
    },
  };
}
