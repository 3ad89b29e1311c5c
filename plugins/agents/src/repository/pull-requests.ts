import type { Git } from "@gantry/git-kit";
import { toVisibleText, type Clock, type Run } from "@gantry/plugin";
import { errors } from "../errors.ts";
import { readDefaultBranches } from "./delivery.ts";
import { readBranchRemotes } from "./branch-remotes.ts";
import {
  ghPullRequests,
  pickPullRequest,
  toPullRequest,
  type GhPullRequest,
  type PullRequest,
} from "./pull-request.ts";

const FRESH_MS = 60_000;
const TIMEOUT_MS = 10_000;
const MAX_KEPT = 200;
/** Pull requests of one branch name, those of forks included. */
const MAX_FOUND = 30;
/** Repositories that one is looked for in. */
const MAX_PLACES = 3;

/** What is known of the pull request of a branch. */
export interface PullRequestState {
  status: "ok" | "none" | "blocked";
  pr?: PullRequest;
  /** Why it cannot be told. */
  reason?: string;
}

/** Asks GitHub for the pull requests of branches, through the user's own `gh`. */
export class PullRequests {
  readonly #host: { run: Run; git: Git; clock: Clock; folder: string };
  readonly #known = new Map<
    string,
    { state: Promise<PullRequestState>; at: number }
  >();

  /** @param host `folder` is an empty one to run `gh` in: in a repository it would ask git, which runs what that says. */
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
    if (root === undefined) {
      const reason = await git.refusal(folder);
      return reason === undefined
        ? { status: "none" }
        : { status: "blocked", reason: toVisibleText(reason) };
    }
    const found = await findSearch(git, root);
    if (!found || "status" in found) return found ?? { status: "none" };
    const key = JSON.stringify(found);
    const known = this.#known.get(key);
    if (known && clock.monotonic() - known.at < FRESH_MS) return known.state;
    const state = this.#search(found);
    this.#known.delete(key);
    this.#known.set(key, { state, at: clock.monotonic() });
    const [oldest] = this.#known.keys();
    if (oldest !== undefined && this.#known.size > MAX_KEPT)
      this.#known.delete(oldest);
    // What went wrong may be right in a moment.
    state.catch(() => this.#known.delete(key));
    return state;
  }

  /** Asks one repository after the other, until there is an open one. */
  async #search(search: Search): Promise<PullRequestState> {
    const { places, head } = search;
    let best: PullRequest | undefined;
    let blocked: PullRequestState | undefined;
    for (const place of places) {
      const answer = await this.#ask(place, search);
      if ("status" in answer) {
        blocked ??= answer;
        continue;
      }
      const found =
        search.number === undefined
          ? pickPullRequest(answer, place, head)
          : answer[0];
      if (found && (!best || found.state === "OPEN"))
        best = toPullRequest(found);
      if (found?.state === "OPEN") break;
    }
    return best ? { status: "ok", pr: best } : (blocked ?? { status: "none" });
  }

  async #ask(
    place: string,
    { head, number }: Search,
  ): Promise<GhPullRequest[] | PullRequestState> {
    const { run, folder } = this.#host;
    const program = await run.find("gh");
    if (program === undefined) throw errors.AGENT_TOOL_MISSING({ tool: "gh" });
    const { code, stdout, stderr, timedOut } = await run.collect(
      program,
      [
        "pr",
        ...(number === undefined ? ["list"] : ["view", String(number)]),
        `--repo=${place}`,
        ...(number === undefined
          ? [`--head=${head.branch}`, "--state=all", `--limit=${MAX_FOUND}`]
          : []),
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
    const said = parseJson(stdout);
    const all = number === undefined ? said : [said];
    const answer = ghPullRequests.safeParse(all);
    if (!answer.success) throw errors.TOOL_FAILED({ tool: "gh" });
    return answer.data;
  }
}

/** Where to look for the pull request of a branch. */
interface Search {
  /** Repositories on GitHub that it may be for. */
  places: string[];
  /** The branch as its remote calls it, and whose that is. */
  head: { owner: string; branch: string };
  /** Of the one that the branch was checked out from. */
  number?: number;
}

/** Finds out what to ask for; `undefined` without a branch or a remote. */
async function findSearch(
  git: Git,
  root: string,
): Promise<Search | PullRequestState | undefined> {
  const { branch, remote, remotes, upstream, pushed } = await readBranchRemotes(
    git,
    root,
  );
  if (branch === undefined || remote === undefined) return undefined;
  const toAddress = async (name: string) =>
    remotes.includes(name) ? await git.remote(root, name) : name;
  const own = toPlace((await toAddress(remote)) ?? "");
  if (!own)
    return {
      status: "blocked",
      reason: "The repository is not on GitHub, which is all that gh knows.",
    };
  // The main repository of a fork is a remote too, usually of one of these names.
  const names = [...new Set(["upstream", "origin", ...remotes])];
  const others = await Promise.all(
    names
      .filter((name) => remotes.includes(name))
      .map(async (name) => toPlace((await git.remote(root, name)) ?? "")),
  );
  const places = [...others, own].filter((place) => place !== undefined);
  // As `gh pr checkout` leaves it.
  const number = /^refs\/pull\/(\d+)\/head$/.exec(upstream?.ref ?? "")?.[1];
  const source = upstream && toPlace((await toAddress(upstream.remote)) ?? "");
  if (number && source)
    return {
      places: [source],
      head: { owner: "", branch },
      number: Number(number),
    };
  // With an address for a remote, git keeps there what the branch is called. Else it may follow any branch, and only what
  // a push writes to is its own, unless that is where the work of others ends up.
  const followed =
    upstream?.remote === remote && !remotes.includes(remote)
      ? /^refs\/heads\/(.+)$/s.exec(upstream.ref)?.[1]
      : pushed && !(await readDefaultBranches(git, root)).includes(pushed)
        ? pushed
        : undefined;
  return {
    places: [...new Set([own, ...places])].slice(0, MAX_PLACES),
    head: { owner: own.split("/")[1] ?? "", branch: followed ?? branch },
  };
}

/**
 * The repository on GitHub that an address of a remote names, as `gh` takes it. Others get no credential of the user's: the
 * repository's author chose the address.
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
