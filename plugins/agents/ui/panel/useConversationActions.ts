import { api, copyText, useConfirm, useToast } from "@gantry/ui-kit";
import { ref, type Ref } from "vue";
import type { Router } from "vue-router";
import type { Agent } from "../wire.ts";

/** Actions on a conversation. */
export interface ConversationActions {
  /** Whether an action is pending. */
  readonly pending: Readonly<Ref<boolean>>;
  compact(): Promise<void>;
  clone(): Promise<void>;
  share(): Promise<void>;
  /** Imports an exported file. */
  importFile(file: File): Promise<void>;
  openTerminal(): Promise<void>;
  login(): Promise<void>;
  /** Starts a branch before a message. Returns the text of the message, or `undefined` on failure. */
  fork(entryId: string): Promise<string | undefined>;
}

/** Creates the actions of a conversation. */
export function useConversationActions(
  agentId: string,
  nameOf: () => string,
  router: Router,
): ConversationActions {
  const path = `/api/agents/${agentId}`;
  const toast = useToast();
  const confirm = useConfirm();
  const pending = ref(false);

  async function run<Result>(
    failure: string,
    work: () => Promise<Result>,
  ): Promise<Result | undefined> {
    if (pending.value) return undefined;
    pending.value = true;
    try {
      return await work();
    } catch (thrown) {
      toast.failure(failure, thrown);
      return undefined;
    } finally {
      pending.value = false;
    }
  }
  const post = <Body>(operation: string, body: object = {}) =>
    api.post<Body>(`${path}/${operation}`, { body });
  const toTerminal = async (operation: "open" | "login", failure: string) => {
    const opened = await run(failure, () =>
      post<{ terminalId: string }>(operation),
    );
    if (opened) await router.push(`/terminals/${opened.terminalId}`);
  };

  return {
    pending,
    async compact() {
      const done = await run("The conversation could not be compacted", () =>
        post<{ compacted: boolean }>("compact"),
      );
      if (done && !done.compacted) toast.success("Nothing to compact");
    },
    async clone() {
      const copy = await run(`${nameOf()} could not be duplicated`, () =>
        post<Agent>("clone"),
      );
      if (!copy) return;
      toast.success(
        `Created ${copy.name}`,
        "It starts with this conversation.",
      );
      await router.push(`/agents/${copy.id}`);
    },
    async share() {
      const isSure = await confirm({
        title: "Share this conversation?",
        body: "It is uploaded to your GitHub account as an unlisted gist. Anyone with the link can read all messages and tool output, so check for secrets first.",
        action: "Share conversation",
      });
      if (!isSure) return;
      const shared = await run("The conversation could not be shared", () =>
        post<{ url: string }>("share", { confirm: true }),
      );
      if (!shared) return;
      const isCopied = await copyText(shared.url).then(
        () => true,
        () => false,
      );
      toast.show({
        title: "Shared",
        detail: isCopied ? `Link copied: ${shared.url}` : shared.url,
        tone: "success",
        durationMs: 0,
      });
    },
    async importFile(file) {
      const body = new Blob([file], { type: "application/x-ndjson" });
      const imported = await run("The file could not be imported", () =>
        api.post<{ entries: number }>(`${path}/import`, { body }),
      );
      if (imported) toast.success(`Imported ${imported.entries} entries`);
    },
    openTerminal: () => toTerminal("open", "The terminal could not be opened"),
    login: () => toTerminal("login", "The login could not be opened"),
    async fork(entryId) {
      const forked = await run("The branch could not be created", () =>
        post<{ text: string }>("fork", { entryId }),
      );
      return forked?.text;
    },
  };
}
