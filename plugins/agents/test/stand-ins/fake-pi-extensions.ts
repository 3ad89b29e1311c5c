import { writeFileSync } from "node:fs";
import { run } from "./fake-pi-parts.ts";

/** What the shell or the tool that writes is used with. */
export type ToolInput = { command: string } | { path: string; content: string };

/** What an extension may answer to a tool call. */
type Verdict = { block?: boolean; reason?: string } | undefined;
type Handler = (event: object, ctx: object) => Promise<Verdict> | Verdict;

/** The extensions that pi was started with, as far as they listen. */
export class FakeExtensions {
  readonly #handlers = new Map<string, Handler[]>();
  readonly #ctx: object;

  readonly #tools: readonly string[] | undefined;

  /**
   * @param tools Those that pi was left with; all if not given.
   * @param ui Asks and tells the client.
   */
  constructor(tools: readonly string[] | undefined, ui: object) {
    this.#tools = tools;
    this.#ctx = { ui };
  }

  async load(args: readonly string[]): Promise<void> {
    const on = (event: string, handler: Handler) =>
      void this.#handlers.set(event, [
        ...(this.#handlers.get(event) ?? []),
        handler,
      ]);
    for (const [index, argument] of args.entries()) {
      if (argument !== "-e") continue;
      const { default: extension } = (await import(args[index + 1] ?? "")) as {
        default: (pi: object) => void;
      };
      extension({ on });
    }
    await this.#tell("session_start", {});
  }

  /** Uses a tool, unless it is not there or an extension blocks it. */
  async useTool(
    toolName: string,
    input: ToolInput,
    signal: AbortSignal,
  ): Promise<{ output: string; code: number | null }> {
    if (this.#tools && !this.#tools.includes(toolName))
      return { output: `Tool ${toolName} not found`, code: 1 };
    const verdict = await this.#tell("tool_call", { toolName, input });
    if (verdict?.block) return { output: verdict.reason ?? "", code: 1 };
    if ("command" in input) return await run(input.command, signal);
    writeFileSync(input.path, input.content);
    return { output: "written", code: 0 };
  }

  /** The first handler that blocks decides. */
  async #tell(event: string, data: object): Promise<Verdict> {
    for (const handler of this.#handlers.get(event) ?? []) {
      const verdict = await handler(data, this.#ctx);
      if (verdict?.block) return verdict;
    }
    return undefined;
  }
}
