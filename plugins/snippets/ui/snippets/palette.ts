import {
  api,
  type CommandContext,
  type ListAnswer,
  type PaletteItem,
} from "@gantry/ui-kit";
import type { Snippet } from "../wire.ts";

const most = 5;

/** Sends a snippet to the agent whose page is open; without one, to whom the reader chooses. */
function sendFrom(snippet: Snippet, { router }: CommandContext): void {
  const { path } = router.currentRoute.value;
  void router.push(
    isAgentPage(path) && snippet.kind === "prompt"
      ? { path, query: { snippet: snippet.id } }
      : { path: `/snippets/${snippet.id}`, query: { send: "1" } },
  );
}

/** Opens the list of snippets in the composer of the agent whose page is open; without one, the library. */
export function chooseAndSend({ router }: CommandContext): void {
  const { path } = router.currentRoute.value;
  void router.push(
    isAgentPage(path) ? { path, query: { snippet: "choose" } } : "/snippets",
  );
}

function isAgentPage(path: string): boolean {
  return /^\/agents\/agt_[a-z2-7]+\/?$/.test(path);
}

/** Finds snippets for the command palette: to look at, and to send. "Send" before a name finds what can be sent. */
export async function searchSnippets(
  query: string,
  signal: AbortSignal,
): Promise<readonly PaletteItem[]> {
  // Without a word the palette shows what people go back to, and those are agents.
  if (query.trim() === "") return [];
  const [, verb, name] =
    /^((?:send|run)\s+|\/snip:)?(.*)$/i.exec(query.trim()) ?? [];
  const { items } = await api.get<ListAnswer<Snippet>>("/api/snips", {
    query: { q: name || undefined, limit: most },
    signal,
  });
  return items.flatMap((snippet) => {
    const { id, kind, title, slug } = snippet;
    const send: PaletteItem = {
      id: `send-${id}`,
      label: `Send ${title}`,
      detail: `/snip:${slug}`,
      icon: "i-lucide-send-horizontal",
      run: (context) => sendFrom(snippet, context),
    };
    const show: PaletteItem = {
      id,
      label: title,
      detail: `/snip:${slug}`,
      // Not from the table of kinds: what this file imports is fetched with every page of the app.
      icon:
        kind === "command"
          ? "i-lucide-square-terminal"
          : "i-lucide-message-square-text",
      to: `/snippets/${id}`,
    };
    return verb ? [send] : [show, send];
  });
}
