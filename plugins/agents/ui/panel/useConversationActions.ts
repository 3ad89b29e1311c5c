import { api, copyText, useConfirm, useToast } from "@gantry/ui-kit";
import { ref, type Ref } from "vue";
import type { Router } from "vue-router";
import type { Agent } from "../wire.ts";

/** What can be done with a conversation as a whole. */
export interface ConversationActions {
  /** One of them runs. */
  readonly pending: Readonly<Ref<boolean>>;
  compact(): Promise<void>;
  clone(): Promise<void>;
  share(): Promise<void>;
  /** Takes in a file that was exported. */
  take(file: File): Promise<void>;
  openTerminal(): Promise<void>;
  login(): Promise<void>;
  /** Continues from before a message. Returns its text, `undefined` if it did not work. */
  fork(entryId: string): Promise<string | undefined>;
}

/** Makes the actions of a conversation. */
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
      const done = await run("The conversation was not shrunk", () =>
        post<{ compacted: boolean }>("compact"),
      );
      if (done && !done.compacted) toast.success("There was nothing to shrink");
    },
    async clone() {
      const copy = await run(`${nameOf()} was not copied`, () =>
        post<Agent>("clone"),
      );
      if (!copy) return;
      toast.success(
        `${copy.name} was made`,
        "It knows all that was said here.",
      );
      await router.push(`/agents/${copy.id}`);
    },
    async share() {
      const isSure = await confirm({
        title: "Share this conversation?",
        body: "It becomes an unlisted gist of your GitHub account: anyone who has the address can read all that was said, with what tools gave back. Look for secrets first.",
        action: "Share it",
      });
      if (!isSure) return;
      const shared = await run("It was not shared", () =>
        post<{ url: string }>("share", { confirm: true }),
      );
      if (!shared) return;
      const isCopied = await copyText(shared.url).then(
        () => true,
        () => false,
      );
      toast.show({
        title: "Shared",
        detail: isCopied ? `${shared.url} was copied.` : shared.url,
        tone: "success",
        durationMs: 0,
      });
    },
    async take(file) {
      const body = new Blob([file], { type: "application/x-ndjson" });
      const taken = await run("Nothing was imported", () =>
        api.post<{ entries: number }>(`${path}/import`, { body }),
      );
      if (taken) toast.success(`${taken.entries} entries were imported`);
    },
    openTerminal: () => toTerminal("open", "The terminal was not opened"),
    login: () => toTerminal("login", "The login was not opened"),
    async fork(entryId) {
      const forked = await run("The conversation stays as it is", () =>
        post<{ text: string }>("fork", { entryId }),
      );
      return forked?.text;
    },
  };
}
