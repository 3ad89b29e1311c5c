import {
  api,
  useToast,
  type CommandContext,
  type ListAnswer,
  type PaletteItem,
} from "@gantry/ui-kit";
import type { Terminal } from "./wire.ts";

const most = 5;

/** Opens a shell in the user's own folder, and shows it. */
export async function openShell({ router }: CommandContext): Promise<void> {
  const toast = useToast();
  try {
    const { id } = await api.post<Terminal>("/api/terminals", { body: {} });
    await router.push(`/terminals/${id}`);
  } catch (thrown) {
    toast.failure("No shell was opened", thrown);
  }
}

/** Finds terminals for the command palette. */
export async function searchTerminals(
  query: string,
  signal: AbortSignal,
): Promise<readonly PaletteItem[]> {
  const words = query.trim().toLowerCase();
  if (words === "") return [];
  const { items } = await api.get<ListAnswer<Terminal>>("/api/terminals", {
    query: { limit: 200 },
    signal,
  });
  return items
    .filter(({ name, cwd, agent }) =>
      `terminal ${name} ${cwd} ${agent?.name ?? ""}`
        .toLowerCase()
        .includes(words),
    )
    .slice(0, most)
    .map(({ id, name, cwd }) => ({
      id,
      label: name,
      detail: cwd,
      icon: "i-lucide-square-terminal",
      to: `/terminals/${id}`,
    }));
}
