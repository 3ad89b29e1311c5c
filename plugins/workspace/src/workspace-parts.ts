import type { PluginContext } from "@gantry/plugin";
import { AgentDirectory } from "@gantry/plugin-agents/contract";
import { FileIndex } from "./files/file-index.ts";
import { createReveal } from "./files/reveal.ts";
import { TextWriter } from "./files/text-files.ts";
import { Folders } from "./folders.ts";
import { Repositories } from "./repository/repositories.ts";

/** Services that the plugin depends on. */
export const needs = { directory: AgentDirectory };

/** What the kernel gives the plugin. */
export type WorkspaceContext = PluginContext<undefined, typeof needs>;

/** Dependencies of the routes. */
export type WorkspaceParts = Awaited<ReturnType<typeof createParts>>;

/** Creates the parts of the plugin. */
export async function createParts(ctx: WorkspaceContext) {
  const { home, signal } = ctx;
  const { directory } = ctx.needs;
  const { path: work } = await directory.workFolder({}, signal);
  return {
    directory,
    signal,
    folders: new Folders({ directory, signal, home, work }),
    fileIndex: new FileIndex(ctx),
    texts: new TextWriter(),
    reveal: createReveal(ctx),
    repositories: await Repositories.create(ctx, directory),
  };
}
