import { errors } from "../errors.ts";
import type { Search } from "./branch-places.ts";
import { readChecks, type Check } from "./checks.ts";
import { explainBlocked, parseJson, type Gh } from "./gh.ts";
import {
  ghPullRequests,
  pickPullRequest,
  toPullRequest,
  type GhPullRequest,
  type PullRequest,
} from "./pull-request.ts";

const TIMEOUT_MS = 10_000;
/** Pull requests of one branch name, those of forks included. */
const MAX_FOUND = 30;

/** What is known of the pull request of a branch. */
export interface PullRequestState {
  status: "ok" | "none" | "blocked";
  pr?: PullRequest;
  /** Why it cannot be told. */
  reason?: string;
}

const NOT_INSTALLED =
  "gh is not on the PATH of the daemon; install it from https://cli.github.com to see it here.";

/** A state with what is needed to read the logs of its checks. */
export interface Found {
  state: PullRequestState;
  /** The repository that the pull request is for. */
  place?: string;
  checks?: Check[];
}

/**
 * Asks one repository after the other, until there is an open one.
 *
 * @throws TOOL_FAILED, TOOL_TIMEOUT
 */
export async function findPullRequest(gh: Gh, search: Search): Promise<Found> {
  if (!(await gh.isInstalled()))
    return { state: { status: "blocked", reason: NOT_INSTALLED } };
  let best: { said: GhPullRequest; place: string } | undefined;
  let blocked: PullRequestState | undefined;
  for (const place of search.places) {
    const answer = await ask(gh, place, search);
    if ("status" in answer) {
      blocked ??= answer;
      continue;
    }
    const said =
      search.number === undefined
        ? pickPullRequest(answer, place, search.head)
        : answer[0];
    if (said && (!best || said.state === "OPEN")) best = { said, place };
    if (said?.state === "OPEN") break;
  }
  if (!best) return { state: blocked ?? { status: "none" } };
  const { said, place } = best;
  const checks = readChecks(said.statusCheckRollup ?? [], place);
  const pr = toPullRequest(said, checks);
  return { state: { status: "ok", pr }, place, checks };
}

async function ask(
  gh: Gh,
  place: string,
  { head, number }: Search,
): Promise<GhPullRequest[] | PullRequestState> {
  const { code, stdout, stderr } = await gh.ask(
    [
      "pr",
      ...(number === undefined ? ["list"] : ["view", String(number)]),
      `--repo=${place}`,
      ...(number === undefined
        ? [`--head=${head.branch}`, "--state=all", `--limit=${MAX_FOUND}`]
        : []),
      `--json=${Object.keys(ghPullRequests.element.shape).join(",")}`,
    ],
    { timeoutMs: TIMEOUT_MS },
  );
  if (code !== 0) {
    const reason = explainBlocked(stderr);
    if (reason === undefined) throw errors.TOOL_FAILED({ tool: "gh" });
    return { status: "blocked", reason };
  }
  const said = parseJson(stdout);
  const answer = ghPullRequests.safeParse(number === undefined ? said : [said]);
  if (!answer.success) throw errors.TOOL_FAILED({ tool: "gh" });
  return answer.data;
}
