import { definePlugin } from "@gantry/plugin";
import type { PluginDefinition } from "@gantry/plugin";
import { startTestKernel } from "@gantry/plugin-testing";
import type { TestKernel, TestKernelOptions } from "@gantry/plugin-testing";
import snippets from "../../src/index.ts";
import { SnippetLibrary } from "../../src/contract.ts";
import type { Snippet } from "../../src/contract.ts";

export { snippets };

/** A kernel with the snippets, and shorter ways to what tests do most. */
export interface TestSnippets extends TestKernel {
  /** Saves a snippet; a prompt called `Snippet` unless said. */
  save(fields?: Record<string, unknown>): Promise<Snippet>;
  list(query?: Record<string, string | number | undefined>): Promise<Snippet[]>;
  /** The service that the plugin provides. */
  library(): SnippetLibrary;
}

export async function startSnippets(
  beside: readonly PluginDefinition[] = [],
  options: TestKernelOptions = {},
): Promise<TestSnippets> {
  let library: SnippetLibrary | undefined;
  const other = definePlugin({
    id: "library-user",
    api: 1,
    summary: "Uses the library as any plugin can",
    mounts: [],
    needs: { library: SnippetLibrary },
    setup(ctx) {
      library = ctx.needs.library;
    },
  });
  const kernel = await startTestKernel([...beside, snippets, other], options);

  // The spread would read the getters once; a restart changes what they give.
  return Object.assign(Object.create(kernel) as TestKernel, {
    async save(fields: Record<string, unknown> = {}) {
      const answer = await kernel.api.post<Snippet>("/api/snips", {
        title: "Snippet",
        body: "Hello",
        ...fields,
      });
      if (answer.status !== 200) throw new Error(JSON.stringify(answer.body));
      // Another moment for each, so that the order of listings is certain.
      await kernel.clock.advance(1000);
      return answer.body;
    },
    async list(query: Record<string, string | number | undefined> = {}) {
      const answer = await kernel.api.get<{ items: Snippet[] }>(
        "/api/snips",
        query,
      );
      if (answer.status !== 200) throw new Error(JSON.stringify(answer.body));
      return answer.body.items;
    },
    library() {
      if (!library) throw new Error("The library is not there.");
      return library;
    },
  });
}
