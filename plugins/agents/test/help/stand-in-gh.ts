import { chmod, mkdir, readFile, writeFile } from "node:fs/promises";
import { delimiter, join } from "node:path";
import { vi } from "vitest";
import { AgentsKernel } from "./agents-kernel.ts";
import { createRepository, plainGit } from "./plain-git.ts";
import { temporaryFolder } from "./temporary.ts";

/** A pull request as `gh pr list --json` prints it. */
export const ANSWER = {
  number: 7,
  title: "Add it",
  url: "https://github.com/ann/it/pull/7",
  state: "OPEN",
  isDraft: false,
  baseRefName: "main",
  headRefName: "topic",
  reviewDecision: "APPROVED",
  mergeable: "MERGEABLE",
  updatedAt: "2026-03-01T00:00:00Z",
  statusCheckRollup: [] as object[],
};

/** The line for a shell that prints a value as JSON. */
export const printing = (answer: unknown) =>
  `cat <<'END'\n${JSON.stringify(answer)}\nEND`;

/** What the stand-in does for each of the commands of `gh`; without a network for those that are not given. */
export const doing = (scripts: {
  list?: string;
  create?: string;
  repository?: string;
  log?: string;
}) =>
  `case "$1 $2" in
"pr list") ${scripts.list ?? printing([])}
;;
"pr create") ${scripts.create ?? "exit 1"}
;;
"repo view") ${scripts.repository ?? "exit 1"}
;;
"run view") ${scripts.log ?? "exit 1"}
;;
esac`;

/** Options of {@link startWithGh}. */
interface StandInOptions {
  remote?: string;
  branch?: string;
  /** Of the daemon. */
  home?: string;
  fakeTime?: boolean;
}

/** An agent on a branch of a repository on GitHub, and a `gh` that does what a script says. Unstub the environment afterwards. */
export async function startWithGh(
  script: string,
  {
    remote = "git@github.com:ann/it.git",
    branch = "topic",
    home,
    fakeTime = true,
  }: StandInOptions = {},
) {
  const outer = await temporaryFolder();
  const cwd = await createRepository(join(outer, "work"), { a: "" });
  await plainGit(cwd, "remote", "add", "origin", remote);
  await plainGit(cwd, "update-ref", "refs/remotes/origin/main", "HEAD");
  await plainGit(cwd, "update-ref", `refs/heads/${branch}`, "HEAD");
  await plainGit(cwd, "symbolic-ref", "HEAD", `refs/heads/${branch}`);
  const tools = join(outer, "tools");
  await mkdir(tools);
  // Each word of a call is in brackets, so that it is seen where it ends.
  await writeFile(
    join(tools, "gh"),
    `#!/bin/sh
(printf '%s' "$PWD"; printf ' [%s]' "$@"; echo) >> ${outer}/calls
cat > ${outer}/input
. ${outer}/script
`,
  );
  const become = (next: string) => writeFile(join(outer, "script"), next);
  await become(script);
  await chmod(join(tools, "gh"), 0o755);
  vi.stubEnv("PATH", [tools, process.env["PATH"]].join(delimiter));
  const agents = await AgentsKernel.start({
    fakeTime,
    ...(home === undefined ? {} : { home }),
  });
  const { id } = await agents.create({ cli: "practice", cwd });
  const path = `/api/agents/${id}/pr`;
  const read = (name: string) =>
    readFile(join(outer, name), "utf8").catch(() => "");
  return {
    kernel: agents.kernel,
    id,
    cwd,
    /** Gives `gh` another script. */
    become,
    get: async <Body extends object = Record<string, unknown>>(
      operation = "",
      query: Record<string, string> = {},
    ) =>
      await agents.kernel.api.get<Body & { code?: string; detail?: string }>(
        `${path}${operation}`,
        query,
      ),
    open: async (body: object) =>
      await agents.kernel.api.post<{
        url?: string;
        number?: number;
        command?: string;
        code?: string;
        detail?: string;
      }>(path, body),
    commit: async (message: string) => {
      await plainGit(cwd, "commit", "--allow-empty", "-qm", message);
    },
    /** As a push leaves it. */
    push: async () => {
      await plainGit(
        cwd,
        "update-ref",
        `refs/remotes/origin/${branch}`,
        "HEAD",
      );
    },
    calls: async () => (await read("calls")).split("\n").slice(0, -1),
    /** What the last call got as its input. */
    input: () => read("input"),
  };
}

/** An agent on a branch that is pushed, and a `gh pr create` that does what a script says. */
export async function startPushed(
  create: string,
  { list = printing([]), ...options }: StandInOptions & { list?: string } = {},
) {
  const world = await startWithGh(doing({ create, list }), options);
  await world.commit("Add it");
  await world.push();
  return {
    ...world,
    created: async () =>
      (await world.calls())
        .filter((call) => call.includes("[pr] [create]"))
        .map((call) => call.slice(call.indexOf("[pr]"))),
    audited: () =>
      world.kernel.kernel.foundation.audit
        .latest(50)
        .filter(({ action }) => action === "agents.pull-request-opened"),
  };
}
