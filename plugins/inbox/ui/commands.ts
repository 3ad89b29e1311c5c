import {
  api,
  useToast,
  type CommandDefinition,
  type ListAnswer,
} from "@gantry/ui-kit";
import type { InboxItem } from "../src/contract.ts";

/** What the command palette can do with the Inbox. */
export const commands: readonly CommandDefinition[] = [
  {
    id: "inbox:answer-oldest",
    label: "Answer the oldest question",
    icon: "i-lucide-message-circle-question-mark",
    keywords: ["inbox", "question", "approval", "permission", "blocking"],
    async run({ router }) {
      const toast = useToast();
      try {
        const query = { blocking: true, limit: 500 };
        const { items } = await api.get<ListAnswer<InboxItem>>("/api/inbox", {
          query,
        });
        const oldest = items.at(-1);
        if (oldest) await router.push(`/inbox/${oldest.id}`);
        else toast.show({ title: "No question is open" });
      } catch (thrown) {
        toast.failure("The Inbox could not be read", thrown);
      }
    },
  },
  {
    id: "inbox:show-unread",
    label: "Show unread items",
    icon: "i-lucide-mail",
    keywords: ["inbox", "new"],
    to: "/inbox?view=unread",
  },
  {
    id: "inbox:show-done",
    label: "Show items that are done",
    icon: "i-lucide-archive",
    keywords: ["inbox", "archive", "history"],
    to: "/inbox?view=done",
  },
];
