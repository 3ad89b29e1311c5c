import { describeError } from "@gantry/plugin";
import type { Log, Store } from "@gantry/plugin";
import type { AgentMessages } from "@gantry/plugin-agents/contract";
import type { InboxItems } from "@gantry/plugin-inbox/contract";
import type { Question } from "./question.ts";
import type { QuestionNotices } from "./questions.ts";

/** Dependencies of {@link createQuestionNotices}. */
export interface NoticesHost {
  inbox(): InboxItems | undefined;
  messages(): AgentMessages | undefined;
  store: Pick<Store, "keys" | "set" | "remove">;
  log: Pick<Log, "warn">;
}

/** Questions in the Inbox. */
export interface InboxNotices extends QuestionNotices {
  /** Resolves items whose questions ended in an earlier process. Call it when the Inbox is available. */
  connected(): void;
  /** Resolves when all pending updates of the Inbox are done. */
  settled(): Promise<void>;
}

/** Prefix of the store keys that record which items are in the Inbox, so that they survive a crash. */
const STORE_PREFIX = "question:";

/** Shows open questions as Inbox items. */
export function createQuestionNotices(host: NoticesHost): InboxNotices {
  // Not bound to the plugin's signal: the Inbox is updated also while this plugin stops.
  const { signal } = new AbortController();
  const open = new Set<string>();
  /** Serialised, so that an item is not resolved before it was added. */
  let working: Promise<void> = Promise.resolve();

  function run(step: () => Promise<unknown>): void {
    working = working.then(step).then(
      () => {},
      (error: unknown) =>
        host.log.warn("A question of an agent is not in the Inbox", {
          reason: describeError(error),
        }),
    );
  }

  async function add(question: Question): Promise<void> {
    const { id, agentId } = question;
    const inbox = host.inbox();
    if (!inbox) return;
    const agent = await host.messages()?.describe({ agentId }, signal);
    const name = agent?.name ?? null;
    await host.store.set(STORE_PREFIX + id, {});
    await inbox.add(
      {
        kind: "approval",
        title: `${name ?? "An agent"} wants to ${toWish(question)}`,
        body: toBody(question),
        source: { type: "browser", id, name: "Browser" },
        blocking: true,
        agentId,
        key: toKey(id),
      },
      signal,
    );
  }

  async function settle(id: string): Promise<void> {
    const inbox = host.inbox();
    if (!inbox) return;
    await inbox.settle({ key: toKey(id) }, signal);
    await host.store.remove(STORE_PREFIX + id);
  }

  async function settleOld(): Promise<void> {
    for (const key of await host.store.keys(STORE_PREFIX)) {
      const id = key.slice(STORE_PREFIX.length);
      if (!open.has(id)) await settle(id);
    }
  }

  return {
    opened(question) {
      open.add(question.id);
      run(() => add(question));
    },
    closed({ id }) {
      open.delete(id);
      run(() => settle(id));
    },
    connected: () => run(settleOld),
    settled: () => working,
  };
}

const TIER_WISHES = {
  read: "read pages in the browser",
  act: "use pages in the browser",
  full: "run scripts in the browser",
} as const;

function toWish({ site, tier }: Question): string {
  return site === null
    ? TIER_WISHES[tier ?? "read"]
    : `open ${site} in the browser`;
}

function toBody({ tool, detail, agentId }: Question): string {
  // Text from the agent, in a code block that its backticks cannot close.
  const longest = Math.max(
    2,
    ...[...detail.matchAll(/`+/g)].map(([run]) => run.length),
  );
  const mark = "`".repeat(longest + 1);
  return [
    `Allow it once, always or not at all under the conversation of the [agent](/agents/${agentId}), or on the page`,
    "[Agents](/browser/agents) of the browser. It waits for at most 10 minutes.",
    "",
    `Tool: ${tool}`,
    "",
    mark,
    detail,
    mark,
  ].join("\n");
}

function toKey(id: string): string {
  return `browser:question:${id}`;
}
