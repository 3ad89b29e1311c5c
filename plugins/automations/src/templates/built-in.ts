import type { AutomationTemplate } from "../contract.ts";

const NO_LIMITS = {
  maxCostUsd: null,
  maxRunsPerHour: null,
  maxRunsPerDay: null,
  maxRunsPerWeek: null,
};

const weekdays = (time: string) => [{ frequency: "weekdays", time }] as const;
const weekly = (weekday: number, time: string) =>
  [{ frequency: "weekly", weekday, time }] as const;

/** The jobs that come with the plugin. Each reads a repository, whatever it is written in, and reports. */
export const builtInTemplates: readonly AutomationTemplate[] = [
  {
    id: "morning-brief",
    name: "Morning brief",
    category: "Reports",
    summary: "What happened in the repository since yesterday, in ten lines.",
    prompt: `Write the morning brief for this repository.

1. Find what was committed on any branch since the last working day: git log --all --since="1 day ago" (on a Monday "3 days ago") with authors and changed files. Do not fetch; what is here is what counts.
2. See what lies around: git status, git stash list, git worktree list, and branches that are ahead of their upstream where they have one (git branch -vv).
3. Read the changes that matter, not only their messages. Look for risky ones: migrations, new dependencies, changed configuration, removed tests, secrets.

Answer with at most ten lines of Markdown: first the one thing to know today, then what changed by area with the names of commits, then what is unfinished, then what deserves a closer look and why. If nothing was committed since, say how old the last commit is and what it was about, and tell what is unfinished.`,
    schedules: weekdays("08:30"),
    limits: { ...NO_LIMITS, maxCostUsd: 1, maxRunsPerDay: 4 },
  },
  {
    id: "nightly-tests",
    name: "Nightly tests",
    category: "Quality",
    summary: "Runs all tests in a copy, and explains what fails and why.",
    prompt: `Run the tests of this repository and explain what fails.

1. Find out how they are run: README, CONTRIBUTING, the configuration of the continuous integration, package.json, Makefile, pyproject.toml, go.mod, Cargo.toml or the like.
2. Copy the working tree with what is installed in it to a new folder under the system's temporary folder and run the tests there only, so that no report, snapshot or cache is written here. Do not install anything on this machine; if dependencies are missing, say which. Remove that copy at the end, and nothing else.
3. Run the whole suite once. Run each test that failed a second time alone, to tell a broken test from one that only sometimes fails.
4. For each broken one find the cause: the code it tests, and the last commits that touched it (git log, git blame).

Answer in Markdown: one line with how many passed, failed, were skipped and how long it took; then for each failure its name, what was expected and what came, the likely cause with file and line, and the commit that most likely brought it; then the tests that only sometimes fail. If all pass, one line is enough. If there are no tests, say so, and which three would catch the most.`,
    runsPrograms: true,
    schedules: [{ frequency: "daily", time: "02:30" }],
    limits: { ...NO_LIMITS, maxCostUsd: 3, maxRunsPerDay: 2 },
  },
  {
    id: "docs-drift",
    name: "Docs drift",
    category: "Quality",
    summary: "Finds what the documentation says and the code no longer does.",
    prompt: `Compare the documentation of this repository with its code, and report where they differ.

1. Read what is written for people: README files, the docs folder, comments of the public interface, examples, help texts of commands.
2. Check each statement that can be checked against the code: commands and their flags, options with their defaults, environment variables, file names, routes, function signatures, version numbers, links between files.
3. Look at the commits of the last two weeks that changed behaviour, and whether the documentation followed.

Answer with a Markdown table, the worst first: where it is written (file and line), what it says, what the code does (file and line), and the sentence that would be right. Only list what you have checked in the code; at most twenty rows, and say how many more there are. If nothing differs, say what you compared. If there is next to no documentation, say what a newcomer would miss first.`,
    schedules: weekly(1, "07:30"),
    limits: { ...NO_LIMITS, maxCostUsd: 2, maxRunsPerWeek: 3 },
  },
  {
    id: "outdated-dependencies",
    name: "Outdated dependencies",
    category: "Dependencies",
    summary: "Lists what is behind, what an update breaks, and where to begin.",
    prompt: `Report which dependencies of this repository are outdated.

1. Find every manifest and lock file: npm, pnpm, Yarn, pip, Poetry, uv, Go, Cargo, Maven, Gradle, Composer, Bundler, container images, actions of the continuous integration.
2. Find out which versions are newer. Package managers (npm outdated, pip list --outdated, cargo update --dry-run and the like) run code of the repository, so they are refused unless this automation allows the shell; try one, and continue without it if it is refused. Install and update nothing; leave manifests and lock files as they are. Without network or package manager, say so, and report from the lock files and git log how old the versions are.
3. For each major step read the change notes if you can reach them, and search the code for uses of what they remove.

Answer in Markdown: first the three updates to do next and why; then a table with name, version here, newest version, kind of step (patch, minor, major), where it is used, and what the update would break here; last the ones that are no longer maintained. If there is no manifest at all, say so in one line.`,
    schedules: weekly(1, "08:00"),
    limits: { ...NO_LIMITS, maxCostUsd: 2, maxRunsPerWeek: 3 },
  },
  {
    id: "stale-branches",
    name: "Stale branches",
    category: "Housekeeping",
    summary:
      "Tells which branches can go, and which hold work that would be lost.",
    prompt: `Report which branches of this repository are stale.

1. Find the default branch: git symbolic-ref refs/remotes/origin/HEAD if there is a remote, else main or master, else the branch that is checked out. List local and remote branches with git for-each-ref: the last commit, its author and its age. Do not fetch or prune; if there is a remote, say how old the last fetch is (.git/FETCH_HEAD).
2. For each branch without a commit in the last 30 days find out whether all of its work is in the default branch: merged (git branch --merged), squashed (git cherry, or an equal tree), or not at all. See whether a worktree has it checked out.
3. For work that is in no other branch, read it and say in a sentence what it is.

Answer in Markdown with three groups: can go (with the reason and the exact command that its owner would run), holds work that would be lost (with what it is, its author and how many commits), and unclear. End with one line: how many branches there are, how many are stale.`,
    schedules: weekly(5, "15:00"),
    limits: { ...NO_LIMITS, maxCostUsd: 1, maxRunsPerWeek: 3 },
  },
  {
    id: "changelog-draft",
    name: "Changelog draft",
    category: "Reports",
    summary:
      "Drafts the notes for the next release from the commits since the last.",
    prompt: `Draft the changelog for the next release of this repository.

1. Find the last release: the newest version tag that the current branch contains (git describe --tags --abbrev=0), else the last entry of the changelog, else the first commit.
2. Read all commits since then, with their changes. Messages may mislead; what the change does counts. Leave out what no user notices.
3. Follow the form of the changelog that is there, or of "Keep a Changelog" if there is none.

Answer with the draft alone, in Markdown, ready to be pasted: the version that the changes ask for by semantic versioning and why, then Breaking, Added, Changed, Fixed and Security as far as there is something, one line each, from the user's side, with the short hash. For each breaking change say what users have to do. End with the commits that you were not sure about.`,
    schedules: weekly(4, "16:00"),
    limits: { ...NO_LIMITS, maxCostUsd: 1, maxRunsPerWeek: 3 },
  },
  {
    id: "vulnerability-audit",
    name: "Vulnerability audit",
    category: "Dependencies",
    summary:
      "Checks dependencies and code for known holes, and says which can be reached.",
    prompt: `Audit this repository for vulnerabilities.

1. Run the package manager's own audit if you may: npm audit, pnpm audit, pip-audit, cargo audit, govulncheck, composer audit, bundle audit, whichever fits and is there. They run code of the repository, so they are refused unless this automation allows the shell. Install nothing and fix nothing. Without network, tool or permission, say so, compare the lock files with the holes that you know of, and continue with the rest.
2. For each finding search the code: is the vulnerable function called at all, and can input from outside reach it?
3. Read the code for holes of its own where input comes in: commands and queries that are put together from text, paths that may leave their folder, requests to addresses that a caller chooses, missing checks of who may do what, weak randomness, unsafe parsing.
4. Look for secrets in the files and in the last 200 commits. Never repeat a secret in your answer: name the file, the line and the kind.

Answer in Markdown, the worst first: what it is with its number if it has one, where (file and line), whether and how it can be reached, and the smallest remedy. Then the findings of the audit that cannot be reached, in one line each. Say what you could not check.`,
    schedules: weekly(3, "06:30"),
    limits: { ...NO_LIMITS, maxCostUsd: 3, maxRunsPerWeek: 3 },
  },
];
