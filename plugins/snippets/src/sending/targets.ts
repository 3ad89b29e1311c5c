import { basename } from "node:path";
import { isIdentifier } from "@gantry/plugin";
import type { Git } from "@gantry/git-kit";
import type { Clock } from "@gantry/plugin";
import { AgentMessages } from "@gantry/plugin-agents/contract";
import { TerminalPanes } from "@gantry/plugin-terminals/contract";
import type { TerminalPane } from "@gantry/plugin-terminals/contract";
import type {
  SnippetContext,
  SnippetPlaceholder,
  SnippetTarget,
} from "../contract.ts";
import { errors } from "../errors.ts";
import { readRepository } from "./read-repository.ts";

/** Where a snippet is to go, as it is now. */
export type Target = {
  id: string;
  name: string;
  /** What the reserved names stand for there. What is not known is left out. */
  context: SnippetContext;
} & (
  | { type: "agent"; messages: AgentMessages }
  | { type: "terminal"; panes: TerminalPanes; pane: TerminalPane }
);

/** What targets are looked up with. */
export interface TargetHost {
  messages(): AgentMessages | undefined;
  panes(): TerminalPanes | undefined;
  git: Git;
  clock: Clock;
}

/** Which names a snippet has. */
type Names = readonly Pick<SnippetPlaceholder, "name">[];

/** Looks targets up. */
export function createTargets({ messages, panes, git, clock }: TargetHost) {
  async function toContext(
    fields: { cwd: string; agent: string | null; cli: string | null },
    names: Names,
    signal: AbortSignal,
  ): Promise<SnippetContext> {
    const { cwd, agent, cli } = fields;
    // Processes are started only for those who need what they say.
    const asksGit = names.some(
      ({ name }) => name === "workspace" || name === "branch",
    );
    const repository = asksGit
      ? await readRepository(git, cwd, signal)
      : undefined;
    const known = {
      cwd,
      workspace: asksGit ? (repository?.name ?? (basename(cwd) || cwd)) : null,
      branch: repository?.branch,
      date: toLocalDate(clock.now()),
      agent,
      cli,
    };
    return Object.fromEntries(
      Object.entries(known).filter(([, value]) => value),
    );
  }

  async function findAgent(
    id: string,
    names: Names,
    signal: AbortSignal,
  ): Promise<Target> {
    const service = messages();
    if (!service)
      throw errors.SNIPPET_AGENTS_MISSING({ service: AgentMessages.id });
    const agent = isIdentifier("agt", id)
      ? await service.describe({ agentId: id }, signal)
      : null;
    if (!agent) throw notFound("agent", id);
    const { name, cwd, cli } = agent;
    const context = await toContext({ cwd, agent: name, cli }, names, signal);
    return { type: "agent", id, name, context, messages: service };
  }

  async function findTerminal(
    id: string,
    names: Names,
    signal: AbortSignal,
  ): Promise<Target> {
    const service = panes();
    if (!service)
      throw errors.SNIPPET_TERMINALS_MISSING({ service: TerminalPanes.id });
    const pane = /^[a-z]+_[a-z2-7]{24}$/.test(id)
      ? await service.describe({ id }, signal)
      : null;
    if (!pane) throw notFound("terminal", id);
    const context = await toContext(pane, names, signal);
    return {
      type: "terminal",
      id,
      name: pane.name,
      context,
      panes: service,
      pane,
    };
  }

  return {
    /**
     * A target as it is now, with what these names stand for there.
     *
     * @throws `SNIPPET_TARGET_NOT_FOUND`, `SNIPPET_AGENTS_MISSING`, `SNIPPET_TERMINALS_MISSING`
     */
    find: (
      { type, id }: SnippetTarget,
      names: Names,
      signal: AbortSignal,
    ): Promise<Target> =>
      type === "agent"
        ? findAgent(id, names, signal)
        : findTerminal(id, names, signal),
    /** What reserved names stand for without a target. */
    none: (): SnippetContext => ({ date: toLocalDate(clock.now()) }),
  };
}
export type Targets = ReturnType<typeof createTargets>;

function notFound(type: string, id: string): Error {
  return errors.SNIPPET_TARGET_NOT_FOUND({ type, id: `"${id.slice(0, 80)}"` });
}

/** The date where the daemon is, as `2026-03-02`. */
function toLocalDate(now: number): string {
  const date = new Date(now);
  const two = (number: number) => String(number).padStart(2, "0");
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}
