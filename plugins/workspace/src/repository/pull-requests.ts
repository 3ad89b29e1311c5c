import type { Clock, Git, Run } from "@gantry/plugin";
import { errors } from "../errors.ts";
import {
  ghPullRequests,
  toPullRequest,
  type PullRequest,
} from "./pull-request.ts";

const MAX_AGE_MS = 60_000;
const TIMEOUT_MS = 10_000;
const MAX_CACHED = 200;

/** What is known of the pull request of a branch. */
export interface PullRequestState {
  status: "ok" | "none" | "blocked";
  pr?: PullRequest;
  /** Why it is not known. */
  reason?: string;
}

/** Reads the pull requests of branches from GitHub, with the `gh` of the user. */
export class PullRequests {
  readonly #host: { run: Run; git: Git; clock: Clock; folder: string };
  readonly #known = new Map<
    string,
    { state: Promise<PullRequestState>; at: number }
  >();

  /** @param host `folder` is an empty one to run `gh` in: in a repository it would call git, which runs what the repository says. */
  constructor(host: { run: Run; git: Git; clock: Clock; folder: string }) {
    this.#host = host;
  }

  /**
   * The pull request of the branch that is checked out, as it was at most a minute ago.
   *
   * @throws AGENT_TOOL_MISSING without `gh`, TOOL_FAILED, TOOL_TIMEOUT
   */
  async of(folder: string): Promise<PullRequestState> {
    const { git, clock } = this.#host;
    const root = await git.root(folder);
    if (root === undefined) return { status: "none" };
    const named = await git(root, "symbolic-ref", ["--short", "-q", "HEAD"]);
    const branch = named.stdout.replace(/\n$/, "");
    const remote = await git.remote(root, "origin");
    if (named.code !== 0 || branch === "" || remote === undefined)
      return { status: "none" };
    const place = toPlace(remote);
    if (!place)
      return {
        status: "blocked",
        reason: "The repository is not on GitHub, which is all that gh knows.",
      };
    const key = `${place}\0${branch}`;
    const known = this.#known.get(key);
    if (known && clock.monotonic() - known.at < MAX_AGE_MS) return known.state;
    const state = this.#ask(place, branch);
    this.#known.delete(key);
    this.#known.set(key, { state, at: clock.monotonic() });
    const [oldest] = this.#known.keys();
    if (oldest !== undefined && this.#known.size > MAX_CACHED)
      this.#known.delete(oldest);
    // The next request tries again.
    state.catch(() => this.#known.delete(key));
    return state;
  }

  async #ask(place: string, branch: string): Promise<PullRequestState> {
    const { run, folder } = this.#host;
    const program = await run.find("gh");
    if (program === undefined) throw errors.AGENT_TOOL_MISSING({ tool: "gh" });
    const { code, stdout, stderr, timedOut } = await run.collect(
      program,
      [
        "pr",
        "list",
        `--repo=${place}`,
        `--head=${branch}`,
        "--state=all",
        "--limit=1",
        `--json=${Object.keys(ghPullRequests.element.shape).join(",")}`,
      ],
      {
        cwd: folder,
        timeoutMs: TIMEOUT_MS,
        env: {
          GH_PROMPT_DISABLED: "1",
          GH_NO_UPDATE_NOTIFIER: "1",
          NO_COLOR: "1",
          GIT_DIR: undefined,
        },
      },
    );
    if (timedOut)
      throw errors.TOOL_TIMEOUT({ tool: "gh", timeoutMs: TIMEOUT_MS });
    if (code !== 0) return blockedBy(stderr);
    const answer = ghPullRequests.safeParse(parseJson(stdout));
    if (!answer.success) throw errors.TOOL_FAILED({ tool: "gh" });
    const [first] = answer.data;
    return first
      ? { status: "ok", pr: toPullRequest(first) }
      : { status: "none" };
  }
}

/**
 * The repository on GitHub that an address of a remote names, as `gh` takes it. Others get no credential of the user's:
 * the address was chosen by the author of the repository.
 */
export function toPlace(remote: string): string | undefined {
  const [, host, owner, name] =
    /^(?:https:\/\/(?:[^@/]*@)?|ssh:\/\/git@|git@)([\w.-]+)(?::\d+)?[:/]([\w.-]+)\/([\w.-]+?)(?:\.git)?\/?$/i.exec(
      remote,
    ) ?? [];
  if (
    !host ||
    !owner ||
    !name ||
    [owner, name].some((part) => /^[-.]/.test(part))
  )
    return undefined;
  const known = host.toLowerCase();
  const isGitHub = known === "github.com" || known.endsWith(".ghe.com");
  return isGitHub || known === process.env["GH_HOST"]?.toLowerCase()
    ? `${known}/${owner}/${name}`
    : undefined;
}

function blockedBy(stderr: string): PullRequestState {
  if (/auth login|not logged in|authentication|HTTP 401/i.test(stderr))
    return {
      status: "blocked",
      reason:
        "gh is not logged in; run `gh auth login` on the daemon's machine.",
    };
  if (/could not resolve to a repository|HTTP 40[34]/i.test(stderr))
    return {
      status: "blocked",
      reason: "GitHub does not show this repository to the user of gh.",
    };
  throw errors.TOOL_FAILED({ tool: "gh" });
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
