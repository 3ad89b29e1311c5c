import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { execFileSync } from "node:child_process";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startSnippets } from "./support/snippets.ts";
import { createTargets, shellId, toAgent, toShell } from "./support/targets.ts";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "gantry-snippets-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

test("values and context are put into the text in one pass", async () => {
  await using kernel = await startSnippets();
  const { id, placeholders } = await kernel.save({
    body: "{{a}} {{b=two}} {{c=}}|{{cwd}} {{{{x}} {{a}}",
  });
  expect(
    await kernel.api.post(`/api/snips/${id}/expand`, {
      values: { a: "{{b}} {{{{ $(id) 'q'", b: "" },
      context: { cwd: "{{a}}" },
    }),
  ).toMatchObject({
    status: 200,
    body: {
      text: "{{b}} {{{{ $(id) 'q' two |{{a}} {{x}} {{b}} {{{{ $(id) 'q'",
      missing: [],
      placeholders,
    },
  });
});

/** Names that every object has a member of, and some that libraries look for. */
const MEMBERS = [
  ...Object.getOwnPropertyNames(Object.prototype),
  "prototype",
  "then",
  "toJSON",
  "__v_skip",
  "__v_raw",
];

test("a name that is a member of every object is a name like any other", async () => {
  const targets = createTargets();
  await using kernel = await startSnippets([targets.agents]);
  const body = MEMBERS.map((name) => `${name}={{${name}}}`).join(" ");
  const { id, placeholders } = await kernel.save({
    body,
    placeholders: MEMBERS.map((name) => ({ name, enum: [`<${name}>`, "x"] })),
  });
  expect(placeholders.map(({ name }) => name)).toEqual(MEMBERS);

  const expand = (values: object) =>
    kernel.api.post(`/api/snips/${id}/expand`, { values });
  expect(await expand({})).toMatchObject({
    status: 200,
    body: { text: body, missing: MEMBERS },
  });
  const values = Object.fromEntries(
    MEMBERS.map((name) => [name, `<${name}>`] as const),
  );
  const text = MEMBERS.map((name) => `${name}=<${name}>`).join(" ");
  expect(await expand(values)).toMatchObject({
    status: 200,
    body: { text, missing: [] },
  });
  for (const name of MEMBERS) {
    const wrong = Object.fromEntries([[name, "other"]]);
    expect(await expand(wrong), name).toMatchObject({
      status: 400,
      body: { code: "SNIPPET_ENUM", errors: [{ path: `values.${name}` }] },
    });
    const { [name]: _, ...others } = values;
    expect(await expand(others), name).toMatchObject({
      status: 200,
      body: { missing: [name] },
    });
  }

  const library = kernel.library();
  const { signal } = new AbortController();
  expect(await library.expand({ id, values }, signal)).toMatchObject({ text });
  const run = (given: object, key: string) =>
    kernel.api.post(
      `/api/snips/${id}/run`,
      { target: toAgent, values: given },
      { "idempotency-key": key },
    );
  expect(await run(values, "same")).toMatchObject({ body: { text } });
  // A key is for one request; a value under such a name is a part of it.
  const changed = Object.fromEntries([
    ...Object.entries(values),
    ["__proto__", "x"],
  ]);
  expect(await run(changed, "same")).toMatchObject({
    status: 409,
    body: { code: "IDEMPOTENCY_KEY_REUSED" },
  });
  expect(targets.prompts).toHaveLength(1);
});

test("no snippet has such a name unless its body does", async () => {
  await using kernel = await startSnippets();
  const { id } = await kernel.save({ body: "{{a}}" });
  for (const name of MEMBERS)
    expect(
      await kernel.api.post(`/api/snips/${id}/expand`, {
        values: Object.fromEntries([[name, "x"]]),
      }),
      name,
    ).toMatchObject({
      status: 400,
      body: {
        code: "SNIPPET_VALUE_UNKNOWN",
        errors: [{ path: `values.${name}` }],
      },
    });
  // The rule of bodies stands everywhere but there.
  for (const body of [
    '{"values":{"a":{"__proto__":"x"}}}',
    '{"context":{"__proto__":"x"}}',
    '{"values":{},"constructor":{"prototype":{"polluted":1}}}',
  ])
    expect(
      await kernel.api.post(`/api/snips/${id}/expand`, JSON.parse(body)),
      body,
    ).toMatchObject({ status: 400, body: { code: "BODY_FORBIDDEN_KEY" } });
  expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
});

test("what has no value is missing, and stands where it was", async () => {
  await using kernel = await startSnippets([], {
    startAt: "2026-03-02T12:00:00.000Z",
  });
  const { id } = await kernel.save({ body: "{{a}} {{branch}} {{date}}" });
  const { body } = await kernel.api.post(`/api/snips/${id}/expand`);
  // The date is known without a target.
  expect(body).toMatchObject({
    text: "{{a}} {{branch}} 2026-03-02",
    missing: ["a", "branch"],
    context: { date: "2026-03-02" },
  });
});

async function reservedAt(cwd: string) {
  const targets = createTargets(cwd);
  await using kernel = await startSnippets([targets.agents, targets.terminals]);
  const { id } = await kernel.save({ body: "{{workspace}} {{branch}}" });
  const expand = async (target: object) =>
    (
      await kernel.api.post<{ context: object }>(`/api/snips/${id}/expand`, {
        target,
      })
    ).body.context;
  return { agent: await expand(toAgent), shell: await expand(toShell) };
}

test("reserved names are filled from the target", async () => {
  const repository = join(folder, "sample");
  const inside = join(repository, "src", "deep");
  await mkdir(inside, { recursive: true });
  execFileSync("git", ["init", "-q", "-b", "feature/x", repository]);
  const shared = {
    cwd: inside,
    workspace: "sample",
    branch: "feature/x",
    date: "2026-03-02",
  };
  expect(await reservedAt(inside)).toEqual({
    agent: { ...shared, agent: "Ada", cli: "practice" },
    shell: shared,
  });
});

test("a worktree has its own branch, and the name of its own folder", async () => {
  const main = join(folder, "main");
  const tree = join(folder, "tree");
  const git = (...args: string[]) =>
    execFileSync("git", [
      "-C",
      main,
      "-c",
      "user.name=A",
      "-c",
      "user.email=a@b.c",
      ...args,
    ]);
  await mkdir(main);
  git("init", "-q", "-b", "main");
  git("commit", "-q", "--allow-empty", "-m", "First");
  git("worktree", "add", "-q", "-b", "side", tree);
  expect((await reservedAt(tree)).agent).toMatchObject({
    workspace: "tree",
    branch: "side",
  });
  git("checkout", "-q", "--detach");
  expect((await reservedAt(main)).agent).not.toHaveProperty("branch");
});

test("what is no repository, or has no branch that can be named, gives none", async () => {
  for (const head of [
    undefined,
    "secret of another user",
    "ref: refs/heads/a\nb",
    "ref: refs/heads/.invalid\n",
  ]) {
    const place = await mkdtemp(join(folder, "odd-"));
    if (head !== undefined) {
      await mkdir(join(place, ".git"));
      await writeFile(join(place, ".git", "HEAD"), head);
    }
    const { agent } = await reservedAt(place);
    expect(agent).not.toHaveProperty("branch");
    expect(agent).toMatchObject({ workspace: basename(place) });
  }
});

test("given context wins over the target, and a target that is not there is named", async () => {
  const targets = createTargets(folder);
  await using kernel = await startSnippets([targets.agents, targets.terminals]);
  const { id } = await kernel.save({ body: "{{cwd}} {{agent}}" });
  const path = `/api/snips/${id}/expand`;
  expect(
    await kernel.api.post(path, { target: toAgent, context: { cwd: "/else" } }),
  ).toMatchObject({ body: { text: "/else Ada", missing: [] } });
  for (const target of [
    { type: "agent", id: `agt_${"b".repeat(24)}` },
    { type: "agent", id: "../x" },
    { type: "terminal", id: `trm_${"b".repeat(24)}` },
    { type: "terminal", id: "" },
    { type: "agent", id: shellId },
  ])
    expect(await kernel.api.post(path, { target })).toMatchObject({
      status: 404,
      body: { code: "SNIPPET_TARGET_NOT_FOUND" },
    });
  for (const target of [
    { type: "webhook", id: "x" },
    { type: "agent" },
    "agent",
    { ...toAgent, also: 1 },
  ])
    expect(await kernel.api.post(path, { target })).toMatchObject({
      status: 400,
    });
});
