import { toVisibleText } from "@gantry/plugin";
import { errors } from "../errors.ts";
import { quoteWord } from "../repository/quote-word.ts";
import { cutText } from "../transcript/entry.ts";
import { explainBlocked, type Gh } from "./gh.ts";
import { pathIn } from "./place.ts";
import type { Plan } from "./plan.ts";

const TIMEOUT_MS = 30_000;
const MAX_REASON_LENGTH = 300;

/** What the user wants to say in it. */
export interface PullRequestText {
  title: string;
  body: string;
  draft: boolean;
}

/** A pull request that was opened. */
export interface OpenedPullRequest {
  url: string;
  number: number;
  /** The line for a shell that does the same. */
  command: string;
}

/** @throws PULL_REQUEST_REFUSED, AGENT_TOOL_MISSING, TOOL_FAILED, TOOL_TIMEOUT */
export async function openPullRequest(
  gh: Gh,
  { place, head, base }: Plan,
  { title, body, draft }: PullRequestText,
): Promise<OpenedPullRequest> {
  // Each value is in one word with its option, so that it is none itself.
  const words = [
    ...["pr", "create", `--repo=${place}`, `--head=${head}`, `--base=${base}`],
    `--title=${title}`,
    ...(draft ? ["--draft"] : []),
  ];
  const { code, stdout, stderr } = await gh.ask([...words, "--body-file=-"], {
    timeoutMs: TIMEOUT_MS,
    input: body,
  });
  if (code !== 0) {
    const reason = explainRefusal(stderr, place);
    throw reason === undefined
      ? errors.TOOL_FAILED({ tool: "gh" })
      : errors.PULL_REQUEST_REFUSED({ reason });
  }
  const opened = findAddress(stdout, place);
  if (!opened) throw errors.TOOL_FAILED({ tool: "gh" });
  const command = ["gh", ...words, `--body=${body}`].map(quoteWord).join(" ");
  return { ...opened, command };
}

/** The address of a pull request of a repository in what `gh` says. */
function findAddress(
  said: string,
  place: string,
): { url: string; number: number } | undefined {
  for (const word of said.split(/\s+/)) {
    const number = /^pull\/([1-9]\d{0,9})$/.exec(
      pathIn(place, word) ?? "",
    )?.[1];
    if (number) return { url: word, number: Number(number) };
  }
  return undefined;
}

/** Why there is no pull request, in sentences; `undefined` for what is a fault of `gh`. */
function explainRefusal(stderr: string, place: string): string | undefined {
  if (/a pull request .* already exists/i.test(stderr)) {
    const there = findAddress(stderr, place);
    return `There is a pull request of this branch already${there ? `: ${there.url}` : "."}`;
  }
  const blocked = explainBlocked(stderr);
  if (blocked !== undefined) return blocked;
  const said = /pull request create failed: GraphQL: (.+)/.exec(stderr)?.[1];
  if (said === undefined) return undefined;
  const plain = said.replaceAll(/ \(\w+\)(?=,|$)/g, "").replace(/\.$/, "");
  return `GitHub says: ${toVisibleText(cutText(plain, MAX_REASON_LENGTH).text)}.`;
}
