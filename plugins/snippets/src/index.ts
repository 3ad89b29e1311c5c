import { join } from "node:path";
import { createGit } from "@gantry/git-kit";
import { definePlugin } from "@gantry/plugin";
import { AgentMessages, AgentSlash } from "@gantry/plugin-agents/contract";
import { TerminalPanes } from "@gantry/plugin-terminals/contract";
import {
  SnippetChanged,
  SnippetCreated,
  SnippetDeleted,
  SnippetLibrary,
  SnippetSent,
} from "./contract.ts";
import { errors } from "./errors.ts";
import { Library } from "./library/library.ts";
import { createSlashSource } from "./library/slash-source.ts";
import { createStoredSnippetLibrary } from "./library/stored-snippet-library.ts";
import { createEditorRoutes } from "./routes/editor-routes.ts";
import { createSendingRoutes } from "./routes/sending-routes.ts";
import { createSnippetRoutes } from "./routes/snippet-routes.ts";
import { createConfirmations } from "./sending/confirmations.ts";
import { createSender } from "./sending/sender.ts";
import { createTargets } from "./sending/targets.ts";

export default definePlugin({
  id: "snippets",
  api: 1,
  summary:
    "Prompts and commands that are saved once and sent again, with placeholders filled at each send",
  mounts: ["/api/snips"],
  wants: { messages: AgentMessages, slash: AgentSlash, panes: TerminalPanes },
  provides: [SnippetLibrary],
  events: [SnippetCreated, SnippetChanged, SnippetDeleted, SnippetSent],
  errors,
  async setup({ store, clock, wants, run, signal, ...ctx }) {
    const library = await Library.open(store);
    const cache = join(ctx.home, "cache", "snippets-git");
    const git = createGit({ run, cache });
    const targets = createTargets({ ...wants, git, clock });
    const confirmations = createConfirmations(clock);
    const send = createSender({
      targets,
      confirmations,
      emit: (...events) => ctx.emit(...events),
      signal,
    });

    for (const route of [
      ...createSnippetRoutes(library),
      ...createEditorRoutes(library),
      ...createSendingRoutes({ library, targets, send }),
    ])
      ctx.route(route);
    ctx.provide(SnippetLibrary, createStoredSnippetLibrary(library, targets));
    ctx.whenThere(AgentSlash, (slash, gone) =>
      slash.add(createSlashSource(library), gone),
    );
  },
});
