import type { Git } from "@gantry/git-kit";
import { toVisibleText, type Clock, type PluginContext } from "@gantry/plugin";
import { errors } from "../errors.ts";
import { readBranchPlaces, toSearch, type Search } from "./branch-places.ts";
import { logNotFound, readCheckLog, type CheckLog } from "./check-log.ts";
import type { Fault } from "./commit-range.ts";
import { writeDraft, type PullRequestDraft } from "./draft.ts";
import {
  findPullRequest,
  type Found,
  type PullRequestState,
} from "./find-pull-request.ts";
import type { Gh } from "./gh.ts";
import {
  openPullRequest,
  type OpenedPullRequest,
  type PullRequestText,
} from "./open-pull-request.ts";
import { planPullRequest, type Plan } from "./plan.ts";
import { RepositoryBook } from "./repository-facts.ts";

const KEPT_MS = 60_000;
/** The same for a caller that wants to know how it is now. */
const FRESH_MS = 5000;
const MAX_KEPT = 200;

/** Dependencies of {@link PullRequests}. */
export interface PullRequestsHost {
  gh: Gh;
  git: Git;
  clock: Clock;
  audit: PluginContext["audit"];
}

/** The pull requests of branches on GitHub, through the user's own `gh`. */
export class PullRequests {
  readonly #host: PullRequestsHost;
  readonly #book: RepositoryBook;
  readonly #known = new Map<string, { found: Promise<Found>; at: number }>();

  constructor(host: PullRequestsHost) {
    this.#host = host;
    this.#book = new RepositoryBook(host.gh, host.clock);
  }

  /** Finds out where the pull request of the branch is to be looked for that is checked out; else what is known without that. */
  async find(folder: string): Promise<Search | PullRequestState> {
    const { git } = this.#host;
    const root = await git.root(folder);
    if (root === undefined) {
      const reason = await git.refusal(folder);
      return reason === undefined
        ? { status: "none" }
        : { status: "blocked", reason: toVisibleText(reason) };
    }
    const places = await readBranchPlaces(git, root);
    if ("missing" in places) return { status: "none" };
    const reason =
      "The repository is not on GitHub, which is all that gh knows.";
    return toSearch(places) ?? { status: "blocked", reason };
  }

  /**
   * How the pull request was at most a minute ago.
   *
   * @param search What {@link PullRequests.find} gave.
   * @param isFresh Asks for one of at most five seconds ago.
   * @throws TOOL_FAILED, TOOL_TIMEOUT
   */
  async of(
    search: Search | PullRequestState,
    isFresh: boolean,
  ): Promise<PullRequestState> {
    if ("status" in search) return search;
    return (await this.#look(search, isFresh ? FRESH_MS : KEPT_MS)).state;
  }

  /**
   * The end of the log of a check that failed.
   *
   * @throws CHECK_LOG_NOT_FOUND, TOOL_FAILED, TOOL_TIMEOUT
   */
  async log(
    search: Search | PullRequestState,
    check: string,
  ): Promise<CheckLog> {
    const { state, place, checks }: Found =
      "status" in search
        ? { state: search }
        : await this.#look(search, KEPT_MS);
    if (!place || !checks)
      throw logNotFound(
        check,
        state.reason ?? "The branch has no pull request.",
      );
    const { job } = checks.find(({ view }) => view.name === check) ?? {};
    if (job === undefined)
      throw logNotFound(
        check,
        "The pull request has no check of this name that failed in GitHub Actions.",
      );
    return await readCheckLog(this.#host.gh, place, { check, job });
  }

  /** What a new pull request of the branch would say, or why there can be none. */
  async draft(folder: string): Promise<PullRequestDraft | Fault> {
    const plan = await this.plan(folder);
    return "fault" in plan
      ? plan
      : await writeDraft(this.#host.git, folder, plan);
  }

  /** Where a new pull request of the branch would go, or why there can be none. */
  async plan(folder: string, base?: string): Promise<Plan | Fault> {
    const host = { git: this.#host.git, book: this.#book };
    return await planPullRequest(host, folder, base);
  }

  /**
   * Opens a pull request, which others can see from then on.
   *
   * @throws PULL_REQUEST_REFUSED, AGENT_TOOL_MISSING, TOOL_FAILED, TOOL_TIMEOUT
   */
  async open(
    agentId: string,
    plan: Plan | Fault,
    text: PullRequestText,
  ): Promise<OpenedPullRequest> {
    if ("fault" in plan)
      throw errors.PULL_REQUEST_REFUSED({ reason: plan.fault });
    const { gh, audit } = this.#host;
    try {
      const opened = await openPullRequest(gh, plan, text);
      const { url } = opened;
      await audit("agents.pull-request-opened", { agentId, url });
      return opened;
    } finally {
      // Also where it failed: there may be one all the same.
      this.#forget(plan);
    }
  }

  #forget({ head }: Plan): void {
    const branch = head.slice(head.indexOf(":") + 1);
    for (const key of this.#known.keys())
      if ((JSON.parse(key) as Search).head.branch === branch)
        this.#known.delete(key);
  }

  async #look(search: Search, keptMs: number): Promise<Found> {
    const { clock } = this.#host;
    const key = JSON.stringify(search);
    const known = this.#known.get(key);
    if (known && clock.monotonic() - known.at < keptMs)
      return await known.found;
    const found = findPullRequest(this.#host.gh, search);
    this.#known.delete(key);
    this.#known.set(key, { found, at: clock.monotonic() });
    const [oldest] = this.#known.keys();
    if (oldest !== undefined && this.#known.size > MAX_KEPT)
      this.#known.delete(oldest);
    // What went wrong may be right in a moment.
    found.catch(() => {
      if (this.#known.get(key)?.found === found) this.#known.delete(key);
    });
    return await found;
  }
}
