import { expect } from "vitest";
import type { ApiClient } from "./api-client.ts";

/** A template as the daemon serves it. */
export interface Template {
  id: string;
  name: string;
  prompt: string;
  schedules: object[];
  limits: object;
  permissions: { mode: string; tools: string[] };
}

/** A run as the daemon serves it. */
export interface TemplateRun {
  result: string;
  reason: string | null;
  message: string;
  agentId: string;
  decision: { gate: string; figures: Record<string, unknown> }[];
}

/** What each template's agent looks at, as one with a model would: its own commands, which only read. */
export const LOOKS: Readonly<Record<string, readonly string[]>> = {
  "morning-brief": [
    'git log --all --since="1 day ago" --stat --format="%h %an %s"',
    "git status --short --branch && git stash list && git branch -vv",
    "git worktree list; git show --stat HEAD | head -20",
  ],
  "nightly-tests": [
    "cat package.json && ls -a",
    "git log --oneline -5 -- src test",
  ],
  "docs-drift": [
    "cat README.md && grep -rn '3000' src README.md",
    'git log --since="2 weeks ago" --name-only --format=%h | sort -u',
  ],
  "outdated-dependencies": [
    "find . -name package.json -not -path './node_modules/*'",
    "cat package.json && git log -3 --format=%as -- package.json",
  ],
  "stale-branches": [
    "git symbolic-ref --short refs/remotes/origin/HEAD || git branch --list main master",
    "git for-each-ref --sort=committerdate --format='%(refname:short) %(authorname) %(committerdate:relative)' refs/heads refs/remotes",
    "git branch --merged main && git branch --no-merged main",
    "git cherry main unfinished; git log --format='%h %s' main..unfinished",
  ],
  "changelog-draft": [
    "git describe --tags --abbrev=0",
    "git log --format='%h %s' v1.0.0..HEAD && git diff --stat v1.0.0 HEAD",
    "head -20 CHANGELOG.md",
  ],
  "vulnerability-audit": [
    "git grep -n -i 'token' -- . && git log -p -200 | grep -n -i 'secret' | head",
    "find . -name '*.js' -not -path './.git/*' | wc -l",
  ],
};

/** What one that went wrong would try: every way to change something that is there. */
export const DEEDS: readonly string[] = [
  "git push origin main",
  "git push --force origin :main",
  "git commit --all --message x",
  "git add --all",
  "git stash drop",
  "git branch -D merged-long-ago",
  "git tag v2.0.0",
  "git checkout -- src/port.js",
  "git reset --hard",
  "git clean -fdx",
  "git fetch origin",
  "git config user.name Eve",
  "git log --output=written.txt",
  "rm -rf src",
  "echo x > README.md",
  "sed -i s/a/b/ README.md",
  "git log -1; touch written.txt",
  "git log -1 | tee written.txt",
  "find . -name '*.txt' -delete",
  "ls $(touch written.txt)",
  "node -e 1",
];

/** Reads the templates of a daemon. */
export async function readTemplates(api: ApiClient): Promise<Template[]> {
  const path = "/api/automations/templates";
  const { body } = await api.call<{ items: Template[] }>("GET", path);
  expect(body.items).toHaveLength(7);
  return body.items;
}

/** Makes an automation of a template as its page does, with something added to the prompt, and runs it to its end. */
export async function runTemplate(
  api: ApiClient,
  template: Template,
  more: { workspace: string; cli: string; script: string },
): Promise<TemplateRun> {
  const { name, schedules, limits, permissions } = template;
  const { workspace, cli, script } = more;
  const saved = await api.call<{ automation: { id: string } }>(
    "POST",
    "/api/automations",
    {
      ...{ name, limits, permissions, workspace, cli },
      prompt: `${template.prompt}\n\n${script}`,
      schedules: schedules.map((times) => ({ ...times, timeZone: "UTC" })),
    },
  );
  expect(saved.status).toBe(200);
  const path = `/api/automations/${saved.body.automation.id}`;
  await api.call("POST", `${path}/run`);
  const runs = () => api.call<{ items: TemplateRun[] }>("GET", `${path}/runs`);
  await expect
    .poll(async () => (await runs()).body.items[0]?.result)
    .not.toBe("running");
  return (await runs()).body.items[0]!;
}

/** The commands of an agent's last run and what came of them, in their order. */
export async function commandsOf(
  api: ApiClient,
  agentId: string,
): Promise<{ command: string; failed: boolean; output: string }[]> {
  const { body } = await api.call<{
    items: {
      kind: string;
      text: string;
      tool: { input: string; failed: boolean } | null;
    }[];
  }>("GET", `/api/agents/${agentId}/messages?limit=200`);
  return body.items
    .filter(({ kind }) => kind === "tool")
    .reverse()
    .map(({ text, tool }) => ({
      command: (JSON.parse(tool!.input) as { command?: string }).command ?? "",
      failed: tool!.failed,
      output: text,
    }));
}
